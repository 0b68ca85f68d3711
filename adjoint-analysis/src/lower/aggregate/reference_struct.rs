//! Structs that hold references: `struct Fit<'a> { times: &'a [f64], weight: f64 }`.
//!
//! Such a struct has no adjoint of its own: its referents have. It is split into its fields like a tuple, and functions
//! that take or return one, or are methods of one, are inlined.

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::Span;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

use crate::ir::base_name;
use crate::lower::inline::function_pointers::boxed_type;
use crate::lower::inline::{fn_arity, item_names};
use crate::lower::items::attributes::is_conditional;
use crate::lower::items::generic_arguments::{GenericArgs, infer_args, value_params};
use crate::lower::tokens::identifiers;
use crate::lower::types::{holds_float_ref, lower_type, text, ungrouped};
use crate::lower::value::Value;
use crate::lower::{Arguments, Environment, Lower, Ty};

/// A field of a struct that holds references.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name or position.
    pub name: String,
    /// Its type, as declared.
    ty: syn::Type,
    /// Whether it is a reference or a function, rather than an owned value.
    is_ref_or_fn: bool,
    /// The number of its arguments, if it is a function.
    arity: Option<usize>,
}

/// The declaration of a struct that holds references.
#[derive(Clone, Debug)]
pub struct RefStructDef {
    generics: syn::Generics,
    fields: Vec<Field>,
}

/// The shape of a value of such a struct, without the values of its fields.
#[derive(Clone, Debug)]
pub struct RefStruct {
    /// The struct's name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its fields, in order of declaration.
    pub fields: Vec<Field>,
    /// Whether no binding owns its variables, so that they can be taken over.
    is_unique: bool,
}

impl RefStruct {
    /// The same shape, with variables that a binding owns.
    pub fn not_unique(&self) -> Rc<RefStruct> {
        Rc::new(RefStruct {
            is_unique: false,
            ..self.clone()
        })
    }

    /// The value of a field, out of the values of all fields.
    pub fn part(&self, parts: &[Value], name: &str) -> Option<Value> {
        let at = self.fields.iter().position(|f| f.name == name)?;
        Some(match parts.get(at)?.clone() {
            // An owned field, reached through a reference to the struct.
            Value::PlaceRef(p, _) if !self.fields[at].is_ref_or_fn => Value::Place(p),
            other => other,
        })
    }
}

/// Collects the structs among the items that hold references. Excluded are those that derive `Differentiable`, which
/// are values, and those with a `Drop` impl, which has effects where no code is written.
pub fn collect_ref_structs<'a>(
    env: &mut Environment,
    items: impl Iterator<Item = &'a syn::Item> + Clone,
) {
    let drops = |item: &syn::Item| match item {
        syn::Item::Impl(i) => {
            let (path, _) = i.trait_.as_ref()?;
            let is_drop = path.segments.last().is_some_and(|s| s.ident == "Drop");
            is_drop.then(|| base_name(&text(&i.self_ty)).to_string())
        }
        _ => None,
    };
    let dropped: HashSet<String> = items.clone().filter_map(drops).collect();
    let structs: Vec<&syn::ItemStruct> = items
        .clone()
        .filter_map(|item| match item {
            syn::Item::Struct(s) => Some(s),
            _ => None,
        })
        .collect();
    // Structs of outer scopes with these names are shadowed.
    let hidden = item_names(
        items
            .clone()
            .filter(|item| !matches!(item, syn::Item::Use(_))),
    );
    env.reference_structs
        .retain(|name, _| !hidden.contains(name));
    let open = structs.into_iter().filter(|s| {
        let name = s.ident.to_string();
        !is_conditional(&s.attrs)
            && !env.differentiable_types.contains(&name)
            && !dropped.contains(&name)
    });
    let mut open: Vec<&syn::ItemStruct> = open.collect();
    loop {
        let before = open.len();
        open.retain(|s| {
            let declared = ref_struct_def(s, env);
            let holds = declared
                .fields
                .iter()
                .any(|f| f.is_ref_or_fn || env.mentions_ref_struct(&f.ty));
            if holds {
                env.reference_structs
                    .insert(s.ident.to_string(), Rc::new(declared));
            }
            !holds
        });
        if open.len() == before {
            return;
        }
    }
}

fn ref_struct_def(s: &syn::ItemStruct, env: &Environment) -> RefStructDef {
    let fields = s.fields.iter().enumerate().map(|(i, field)| Field {
        name: match &field.ident {
            Some(name) => name.to_string(),
            None => i.to_string(),
        },
        ty: field.ty.clone(),
        is_ref_or_fn: holds_float_ref(&field.ty, env)
            || fn_arity(boxed_type(&field.ty), &s.generics).is_some(),
        arity: fn_arity(boxed_type(&field.ty), &s.generics),
    });
    RefStructDef {
        generics: s.generics.clone(),
        fields: fields.collect(),
    }
}

impl Environment {
    /// The declaration of the struct of this name, `Self` included, if it holds references.
    fn ref_struct(&self, name: &str) -> Option<(String, Rc<RefStructDef>)> {
        let name = self.resolve_self(name);
        // `Data::<'a>`, the form in expressions.
        let name = base_name(name.split("::<").next().unwrap_or(name));
        Some((
            name.to_string(),
            Rc::clone(self.reference_structs.get(name)?),
        ))
    }

    /// Whether the tokens name a struct that holds references.
    pub fn mentions_ref_struct(&self, tokens: &impl ToTokens) -> bool {
        if self.reference_structs.is_empty() {
            return false;
        }
        let mut names = Vec::new();
        identifiers(&tokens.to_token_stream(), &mut names);
        names.iter().any(|name| self.ref_struct(name).is_some())
    }

    /// Whether the function takes or returns such a struct, or is a method of one.
    pub fn handles_ref_structs(&self, sig: &syn::Signature) -> bool {
        let of_own = sig.receiver().is_some() && self.mentions_ref_struct(&quote!(Self));
        of_own || self.mentions_ref_struct(&sig.inputs) || self.mentions_ref_struct(&sig.output)
    }
}

impl Lower {
    /// Constructs a struct that holds references out of these fields, and of a base for the others; `None` if the name
    /// is that of another struct.
    pub fn build_ref_struct(
        &mut self,
        name: &str,
        mut fields: Vec<(String, Value)>,
        base: Option<Value>,
        at: &impl Spanned,
    ) -> Option<Value> {
        let (name, declared) = self.env.ref_struct(name)?;
        let span = at.span();
        let base = base.map(Value::strip_ref);
        let mut parts = Vec::new();
        for field in &declared.fields {
            let own = fields.iter().position(|(of, _)| *of == field.name);
            let value = match (own, &base) {
                (Some(at), _) => fields.swap_remove(at).1,
                (None, Some(Value::RefStruct(of, parts))) => of.part(parts, &field.name)?,
                _ => return None,
            };
            self.unify_field_type(field, &declared.generics, &value);
            parts.push(self.ref_struct_field(field, value, span));
        }
        let ty = self.ref_struct_type(&name, &declared, &parts);
        let record = RefStruct {
            name,
            ty,
            fields: declared.fields.clone(),
            is_unique: true,
        };
        Some(Value::RefStruct(Rc::new(record), parts))
    }

    /// Copies the struct to variables of its own, named after `name`; variables that no other binding owns are taken
    /// over.
    pub fn owned_ref_struct(
        &mut self,
        name: &str,
        of: &RefStruct,
        parts: Vec<Value>,
        mutable: bool,
        span: Span,
    ) -> Value {
        let is_generic = self
            .env
            .ref_struct(&of.name)
            .is_some_and(|(_, declared)| declared.generics.type_params().next().is_some());
        let fields = of.fields.iter().zip(parts);
        let own = fields.map(|(field, part)| {
            let name = format!("{name}_{}", field.name);
            if mutable
                && !is_generic
                && let Some(empty) = self.declare_empty_ref(&name, &part, &field.ty, span)
            {
                return empty;
            }
            match part {
                Value::Place(p) if of.is_unique && p.is_whole() => {
                    self.draft.func.rename(p.root, &name);
                    Value::Place(p)
                }
                part => {
                    let part = self.copied_part(part);
                    self.owned_value(&name, part, mutable, span)
                }
            }
        });
        let parts = own.collect();
        Value::RefStruct(of.not_unique(), parts)
    }

    /// Copies the struct, unless no binding owns it.
    pub fn copy_ref_struct(&mut self, of: Rc<RefStruct>, parts: Vec<Value>, span: Span) -> Value {
        if of.is_unique {
            return Value::RefStruct(of, parts);
        }
        let pinned = parts.into_iter().map(|v| {
            let v = self.copied_part(v);
            self.copy_to_temp(v, span)
        });
        let parts = pinned.collect();
        let new = RefStruct {
            is_unique: true,
            ..Rc::unwrap_or_clone(of)
        };
        Value::RefStruct(Rc::new(new), parts)
    }

    /// The value of a field that is a function.
    pub fn fn_for_field(&mut self, of: &str, field: &str, e: &syn::Expr) -> Option<Value> {
        let (_, declared) = self.env.ref_struct(of)?;
        let field = declared.fields.iter().find(|f| f.name == field)?;
        Some(self.passed_function(e, field.arity?))
    }

    /// The arguments of a tuple struct that holds references, if the path names one.
    pub fn ref_struct_args(&mut self, of: &syn::Path, args: &Arguments) -> Option<Vec<Value>> {
        let of = of.segments.last()?.ident.to_string();
        self.env.ref_struct(&of)?;
        let mut at = 0..;
        Some(self.operands_with(args.iter(), &mut |l, e| {
            let field = at.next().unwrap_or(0).to_string();
            let function = l.fn_for_field(&of, &field, e);
            function.unwrap_or_else(|| l.expr(e))
        }))
    }

    /// Unifies a value's type with the declared type of its field, unless this is generic.
    fn unify_field_type(&mut self, field: &Field, generics: &syn::Generics, value: &Value) {
        let mut names = Vec::new();
        identifiers(&field.ty.to_token_stream(), &mut names);
        let params: HashSet<String> = value_params(generics).into_iter().collect();
        let is_open = names.iter().any(|name| params.contains(name));
        if is_open || field.arity.is_some() || self.env.mentions_ref_struct(&field.ty) {
            return;
        }
        let found = self.value_ty(value);
        let ty = lower_type(&field.ty, &self.env).0;
        self.unify(&ty, &found);
    }

    /// The stored value of a field: a frozen reference, or a variable of its own.
    fn ref_struct_field(&mut self, field: &Field, value: Value, span: Span) -> Value {
        match (field.is_ref_or_fn, value) {
            (
                true,
                value @ (Value::Closure(_) | Value::SplitEnum(_) | Value::RefToAggregate(..)),
            ) => value,
            (true, Value::PlaceRef(p, mutable)) => {
                let value = self.copy_to_temp(Value::PlaceRef(p, mutable), span);
                self.force_eval(&value, span);
                value
            }
            (true, value) if matches!(ungrouped(&field.ty), syn::Type::Reference(_)) => {
                self.ref_to(value, false, span)
            }
            (_, value @ Value::RefStruct(..)) => value,
            (_, value) => self.owned_value(&field.name, value, true, span),
        }
    }

    /// The struct's type, with generic arguments inferred from its fields.
    fn ref_struct_type(&mut self, name: &str, declared: &RefStructDef, parts: &[Value]) -> Ty {
        let params = value_params(&declared.generics);
        let mut found = GenericArgs::new();
        for (field, part) in declared.fields.iter().zip(parts) {
            if !matches!(part, Value::Closure(_)) {
                let ty = self.value_ty(part);
                let ty = self.infer.resolve(&ty);
                infer_args(&field.ty, &ty, &params, &mut found);
            }
        }
        let given = declared.generics.params.iter().filter_map(|param| {
            let name = match param {
                syn::GenericParam::Type(t) => &t.ident,
                syn::GenericParam::Const(c) => &c.ident,
                syn::GenericParam::Lifetime(_) => return None,
            };
            let told = found.get(&name.to_string()).map(ToString::to_string);
            Some(told.unwrap_or_else(|| "_".to_string()))
        });
        let given: Vec<String> = given.collect();
        Ty::Named(match given.is_empty() {
            true => name.to_string(),
            false => format!("{name}<{}>", given.join(", ")),
        })
    }
}
