//! The methods of the implementation, one function each.
//!
//! The tape is a stack: `save` saves the fields in order and then the variant's label; `restore` and `load` begin with
//! the label and read the fields in reverse.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Index;

use super::{DerivedType, Variant};

impl DerivedType {
    pub(super) fn zeroed(&self) -> TokenStream {
        self.map_method("zeroed")
    }

    pub(super) fn vacant(&self) -> TokenStream {
        self.map_method("vacant")
    }

    /// A method that builds a value from its own results for the fields.
    fn map_method(&self, method: &str) -> TokenStream {
        let body = self.match_self(|_, variant| {
            variant.construct(|field, value| field.call(method, quote!(#value)))
        });
        let name = Ident::new(method, Span::call_site());
        quote!(fn #name(&self) -> Self { #body })
    }

    pub(super) fn zero_floats(&self) -> TokenStream {
        let body = self.for_each_field("zero_floats", &TokenStream::new());
        quote!(fn zero_floats(&mut self) { #body })
    }

    pub(super) fn scale_floats(&self) -> TokenStream {
        let a = parameter("a", self.has_fields());
        let body = self.for_each_field("scale_floats", &quote!(#a));
        quote!(fn scale_floats(&mut self, #a: f64) { #body })
    }

    pub(super) fn append_floats(&self) -> TokenStream {
        let flat = parameter("flat", self.has_fields());
        let body = self.for_each_field("append_floats", &quote!(#flat));
        quote!(fn append_floats(&self, #flat: &mut ::std::vec::Vec<f64>) { #body })
    }

    pub(super) fn take_floats(&self) -> TokenStream {
        let flat = parameter("flat", self.has_fields());
        let body = self.for_each_field("take_floats", &quote!(#flat));
        quote!(fn take_floats(&mut self, #flat: &mut ::core::slice::Iter<'_, f64>) { #body })
    }

    /// The body of a method that calls itself on each field.
    fn for_each_field(&self, method: &str, argument: &TokenStream) -> TokenStream {
        self.match_self(|_, variant| {
            let calls =
                variant.map_fields(|field, value| field.call(method, quote!(#value, #argument)));
            quote!(#(#calls;)*)
        })
    }

    pub(super) fn add_floats(&self) -> TokenStream {
        let (a, x) = (
            parameter("a", self.has_fields()),
            parameter("x", !self.variants.is_empty()),
        );
        let body = self.match_pair(&x, &mismatch_arm(), |variant| {
            let calls = variant.map_field_pairs(|field, value, x| {
                field.call("add_floats", quote!(#value, #a, #x))
            });
            quote!(#(#calls;)*)
        });
        quote!(fn add_floats(&mut self, #a: f64, #x: &Self) { #body })
    }

    pub(super) fn dot_floats(&self) -> TokenStream {
        let other = parameter("other", !self.variants.is_empty());
        let body = self.match_pair(&other, &mismatch_arm(), |variant| {
            let products = variant.map_field_pairs(|field, value, other| {
                field.call("dot_floats", quote!(#value, #other))
            });
            sum(&products, quote!(0.0))
        });
        quote!(fn dot_floats(&self, #other: &Self) -> f64 { #body })
    }

    pub(super) fn check_shape(&self) -> TokenStream {
        let adjoint = parameter("adjoint", !self.variants.is_empty());
        let names = self
            .variants
            .iter()
            .map(|Variant { path, name, .. }| quote!(#path { .. } => #name));
        let differing = quote! {
            (value, adjoint) => {
                let name = |value: &Self| match value { #(#names,)* };
                ::core::result::Result::Err(
                    ::adjoint::__private::Mismatch::variant(name(value), name(adjoint)),
                )
            }
        };
        let body = self.match_pair(&adjoint, &differing, |variant| {
            let checks = variant.map_field_pairs(|field, value, adjoint| {
                let check = field.call("check_shape", quote!(#value, #adjoint));
                let name = field.name();
                quote!(#check.map_err(|mismatch| mismatch.in_field(#name))?)
            });
            quote!(#(#checks;)* ::core::result::Result::Ok(()))
        });
        quote! {
            fn check_shape(
                &self,
                #adjoint: &Self,
            ) -> ::core::result::Result<(), ::adjoint::__private::Mismatch> {
                #body
            }
        }
    }

    pub(super) fn count_floats(&self) -> TokenStream {
        let body = self.match_self(|_, variant| {
            let counts =
                variant.map_fields(|field, value| field.call("count_floats", quote!(#value)));
            sum(&counts, quote!(0))
        });
        quote!(fn count_floats(&self) -> usize { #body })
    }

    pub(super) fn save(&self) -> TokenStream {
        let tape = self.tape();
        let body = self.match_self(|i, variant| {
            let calls =
                variant.map_fields(|field, value| field.call("save", quote!(#value, #tape)));
            let label = self.label().map(|label| {
                let (push, i) = (label.push(), label.literal(i));
                quote!(#tape.#push(#i);)
            });
            quote!(#(#calls;)* #label)
        });
        quote!(fn save(&self, #tape: &mut ::adjoint::Tape) { #body })
    }

    pub(super) fn restore(&self) -> TokenStream {
        let tape = self.tape();
        let restored = |variant: &Variant| {
            let calls =
                variant.map_fields(|field, value| field.call("restore", quote!(#value, #tape)));
            let calls = calls.iter().rev();
            quote!(#(#calls;)*)
        };
        let body = match self.label() {
            None => self.match_self(|_, variant| restored(variant)),
            Some(label) => {
                let (push, pop) = (label.push(), label.pop());
                let arms = self.variants.iter().enumerate().map(|(i, variant)| {
                    let (i, pattern, calls) = (
                        label.literal(i),
                        variant.pattern("value"),
                        restored(variant),
                    );
                    quote!((#i, #pattern) => { #calls })
                });
                quote! {
                    match (#tape.#pop(), self) {
                        #(#arms)*
                        (variant, place) => {
                            #tape.#push(variant);
                            *place = ::adjoint::Carrier::load(#tape);
                        }
                    }
                }
            }
        };
        quote!(fn restore(&mut self, #tape: &mut ::adjoint::Tape) { #body })
    }

    pub(super) fn load(&self) -> TokenStream {
        let tape = self.tape();
        let loaded = |variant: &Variant| {
            let loads = variant.map_fields(|field, value| {
                let load = field.call("load", quote!(#tape));
                quote!(let #value = #load;)
            });
            let (loads, made) = (
                loads.iter().rev(),
                variant.construct(|_, value| quote!(#value)),
            );
            quote!(#(#loads)* #made)
        };
        let no_variant = quote!(::adjoint::__private::no_variant());
        let body = match (self.variants.as_slice(), self.label()) {
            (_, Some(label)) => {
                let pop = label.pop();
                let arms = self.variants.iter().enumerate().map(|(i, variant)| {
                    let (i, loaded) = (label.literal(i), loaded(variant));
                    quote!(#i => { #loaded })
                });
                let others = (label == VariantLabel::Count).then(|| quote!(_ => #no_variant,));
                quote!(match #tape.#pop() { #(#arms)* #others })
            }
            ([only], None) => loaded(only),
            (_, None) => no_variant,
        };
        quote!(fn load(#tape: &mut ::adjoint::Tape) -> Self { #body })
    }

    fn label(&self) -> Option<VariantLabel> {
        match self.variants.len() {
            0 | 1 => None,
            2 => Some(VariantLabel::Flag),
            _ => Some(VariantLabel::Count),
        }
    }

    fn tape(&self) -> Ident {
        parameter("tape", self.has_fields() || self.label().is_some())
    }

    fn has_fields(&self) -> bool {
        let mut variants = self.variants.iter();
        variants.any(|variant| !variant.fields.is_empty())
    }
}

/// The encoding of a variant on the tape; one bit is enough for two variants.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VariantLabel {
    Flag,
    Count,
}

impl VariantLabel {
    fn push(self) -> Ident {
        match self {
            VariantLabel::Flag => format_ident!("push_flag"),
            VariantLabel::Count => format_ident!("push_count"),
        }
    }

    fn pop(self) -> Ident {
        match self {
            VariantLabel::Flag => format_ident!("pop_flag"),
            VariantLabel::Count => format_ident!("pop_count"),
        }
    }

    fn literal(self, variant: usize) -> TokenStream {
        match self {
            VariantLabel::Flag => (variant == 1).to_token_stream(),
            VariantLabel::Count => Index::from(variant).to_token_stream(),
        }
    }
}

/// The arm for two values of different variants.
fn mismatch_arm() -> TokenStream {
    quote!(_ => ::adjoint::__private::unequal(),)
}

fn sum(terms: &[TokenStream], of_none: TokenStream) -> TokenStream {
    match terms.is_empty() {
        true => of_none,
        false => quote!(#(#terms)+*),
    }
}

/// A parameter; an underscore marks one that the body doesn't use.
fn parameter(name: &str, used: bool) -> Ident {
    match used {
        true => format_ident!("{name}"),
        false => format_ident!("_{name}"),
    }
}
