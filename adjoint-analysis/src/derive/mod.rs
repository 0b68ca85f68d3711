//! `#[derive(Differentiable)]`: every method recurses into the fields of the struct or of the current variant.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Fields, Generics, Member, Meta, Token, parse_quote};

mod methods;
#[cfg(test)]
mod tests;

/// The implementation of `Differentiable` for a struct or an enum, or the errors.
pub fn derive(tokens: TokenStream) -> TokenStream {
    match syn::parse2(tokens).and_then(implementation) {
        Ok(implementation) => implementation,
        Err(error) => error.to_compile_error(),
    }
}

fn implementation(input: DeriveInput) -> syn::Result<TokenStream> {
    let choice = DerivedType::new(&input)?;
    let name = as_generated(&input.ident);
    let generics = with_bounds(input.generics);
    let (impl_generics, arguments, clause) = generics.split_for_impl();
    let methods = [
        choice.zeroed(),
        choice.vacant(),
        choice.zero_floats(),
        choice.add_floats(),
        choice.scale_floats(),
        choice.dot_floats(),
        choice.check_shape(),
        choice.count_floats(),
        choice.append_floats(),
        choice.take_floats(),
        choice.save(),
        choice.restore(),
        choice.load(),
    ];
    Ok(quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl #impl_generics ::adjoint::Carrier for #name #arguments #clause {
            #(#[inline] #methods)*
        }
        #[automatically_derived]
        impl #impl_generics ::adjoint::Differentiable for #name #arguments #clause {}
        #[automatically_derived]
        impl #impl_generics ::adjoint::__private::UserType for #name #arguments #clause {}
    })
}

/// Adds the bound `Carrier` to each type parameter. Bounds on the fields' types would be more precise, but a recursive
/// type would then have to be `Differentiable` in order to be `Differentiable`.
fn with_bounds(mut generics: Generics) -> Generics {
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(::adjoint::Carrier));
    }
    generics
}

/// The name with a span of the expansion, so that rustc doesn't report the type's deprecation a second time.
fn as_generated(name: &Ident) -> Ident {
    let mut name = name.clone();
    name.set_span(generated_span(name.span()));
    name
}

/// A span at the user's position that counts as generated code.
fn generated_span(span: Span) -> Span {
    Span::call_site().located_at(span)
}

fn error(span: Span, message: &str, help: &str) -> syn::Error {
    syn::Error::new(span, format!("{message}\nhelp: {help}"))
}

/// The generated methods take references to the fields, which a packed struct doesn't give.
fn refuse_packed(attributes: &[Attribute]) -> syn::Result<()> {
    for attribute in attributes.iter().filter(|a| a.path().is_ident("repr")) {
        let list = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)?;
        if let Some(packed) = list.iter().find(|m| m.path().is_ident("packed")) {
            return Err(error(
                packed.span(),
                "`Differentiable` can't be derived for a packed struct, whose fields can't be borrowed",
                "remove `packed`, or implement `adjoint::Carrier` by hand",
            ));
        }
    }
    Ok(())
}

/// The variants of the type; a struct has one.
struct DerivedType {
    variants: Vec<Variant>,
}

struct Variant {
    /// `Self` or `Self::Name`.
    path: TokenStream,
    name: String,
    fields: Vec<Field>,
}

struct Field {
    member: Member,
    /// The span of the type, at which rustc reports that it isn't `Differentiable`.
    span: Span,
}

impl DerivedType {
    fn new(input: &DeriveInput) -> syn::Result<DerivedType> {
        refuse_packed(&input.attrs)?;
        let variants = match &input.data {
            Data::Struct(data) => vec![Variant::new(quote!(Self), &input.ident, &data.fields)],
            Data::Enum(data) => {
                let of_enum = |variant: &syn::Variant| {
                    let name = as_generated(&variant.ident);
                    Variant::new(quote!(Self::#name), &variant.ident, &variant.fields)
                };
                data.variants.iter().map(of_enum).collect()
            }
            Data::Union(data) => {
                return Err(error(
                    data.union_token.span,
                    "`Differentiable` can't be derived for a union, which doesn't say which of its fields holds a value",
                    "use an enum",
                ));
            }
        };
        Ok(DerivedType { variants })
    }

    /// The body of a method of one value; `arm` gets the variant and its number.
    fn match_self(&self, arm: impl Fn(usize, &Variant) -> TokenStream) -> TokenStream {
        let arms = self
            .variants
            .iter()
            .enumerate()
            .map(|(i, variant)| (variant.pattern("value"), arm(i, variant)));
        match self.variants.len() {
            0 => quote!(match *self {}),
            1 => arms
                .map(|(pattern, arm)| quote!(let #pattern = self; #arm))
                .collect(),
            _ => {
                let arms = arms.map(|(pattern, arm)| quote!(#pattern => { #arm }));
                quote!(match self { #(#arms)* })
            }
        }
    }

    /// The body of a method of two values; `differing` is the arm for different variants.
    fn match_pair(
        &self,
        other: &Ident,
        differing: &TokenStream,
        arm: impl Fn(&Variant) -> TokenStream,
    ) -> TokenStream {
        let arms = self.variants.iter().map(|variant| {
            (
                variant.pattern("value"),
                variant.pattern("other"),
                arm(variant),
            )
        });
        match self.variants.len() {
            0 => quote!(match *self {}),
            1 => arms
                .map(|(a, b, arm)| quote!(let #a = self; let #b = #other; #arm))
                .collect(),
            _ => {
                let arms = arms.map(|(a, b, arm)| quote!((#a, #b) => { #arm }));
                quote!(match (self, #other) { #(#arms)* #differing })
            }
        }
    }
}

impl Variant {
    fn new(path: TokenStream, name: &Ident, fields: &Fields) -> Variant {
        let fields = fields.members().zip(fields).map(|(member, field)| Field {
            member: match member {
                Member::Named(name) => Member::Named(as_generated(&name)),
                unnamed => unnamed,
            },
            span: field.ty.span(),
        });
        Variant {
            path,
            name: name.unraw().to_string(),
            fields: fields.collect(),
        }
    }

    /// A pattern that binds field `i` to `kind_i`.
    fn pattern(&self, kind: &str) -> TokenStream {
        let Variant { path, fields, .. } = self;
        let fields = fields.iter().enumerate().map(|(i, field)| {
            let (member, name) = (&field.member, field.binding(kind, i));
            quote!(#member: #name)
        });
        quote!(#path { #(#fields),* })
    }

    /// An expression that constructs this variant from the field values that `made` returns.
    fn construct(&self, made: impl Fn(&Field, Ident) -> TokenStream) -> TokenStream {
        let Variant { path, fields, .. } = self;
        let members = fields.iter().map(|field| &field.member);
        let values = self.map_fields(made);
        // The braces are generated, so the whole expression isn't user code, whose deprecations rustc would report
        // again.
        quote!(#path { #(#members: { #values }),* })
    }

    fn map_fields<T>(&self, make: impl Fn(&Field, Ident) -> T) -> Vec<T> {
        let fields = self.fields.iter().enumerate();
        fields
            .map(|(i, field)| make(field, field.binding("value", i)))
            .collect()
    }

    fn map_field_pairs<T>(&self, make: impl Fn(&Field, Ident, Ident) -> T) -> Vec<T> {
        let fields = self.fields.iter().enumerate();
        fields
            .map(|(i, field)| make(field, field.binding("value", i), field.binding("other", i)))
            .collect()
    }
}

impl Field {
    /// Calls a method of the trait. The block makes rustc report a missing implementation at the field's type and not
    /// at an argument.
    fn call(&self, method: &str, arguments: TokenStream) -> TokenStream {
        let method = Ident::new(method, self.span);
        quote_spanned!(self.span=> ({ ::adjoint::Carrier::#method })(#arguments))
    }

    /// The name that [`Variant::pattern`] binds field `i` to.
    fn binding(&self, kind: &str, i: usize) -> Ident {
        format_ident!("{kind}_{i}", span = generated_span(self.span))
    }

    /// The name of the field in a path of fields, for messages.
    fn name(&self) -> String {
        match &self.member {
            Member::Named(name) => name.unraw().to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        }
    }
}
