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
use crate::lower::inline::function_pointers::unboxed;
use crate::lower::inline::{arity, names_of};
use crate::lower::items::attributes::is_conditional;
use crate::lower::items::generic_arguments::{Found, parameters, tell};
use crate::lower::tokens::words;
use crate::lower::types::{lower_type, refers, text, ungrouped};
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
    is_lent: bool,
    /// The number of its arguments, if it is a function.
    arity: Option<usize>,
}

/// The declaration of a struct that holds references.
#[derive(Clone, Debug)]
pub struct Declared {
    generics: syn::Generics,
    fields: Vec<Field>,
}

/// The shape of a value of such a struct, without the values of its fields.
#[derive(Clone, Debug)]
pub struct Record {
    /// The struct's name.
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its fields, in order of declaration.
    pub fields: Vec<Field>,
    /// Whether no binding owns its variables, so that they can be taken over.
    is_new: bool,
}

impl Record {
    /// The same shape, with variables that a binding owns.
    pub fn taken(&self) -> Rc<Record> {
        Rc::new(Record {
            is_new: false,
            ..self.clone()
        })
    }

    /// The value of a field, out of the values of all fields.
    pub fn part(&self, parts: &[Value], name: &str) -> Option<Value> {
        let at = self.fields.iter().position(|f| f.name == name)?;
        Some(match parts.get(at)?.clone() {
            // An owned field, reached through a reference to the struct.
            Value::View(p, _) if !self.fields[at].is_lent => Value::Place(p),
            other => other,
        })
    }
}

/// Collects the structs among the items that hold references. Excluded are those that derive `Differentiable`, which
/// are values, and those with a `Drop` impl, which has effects where no code is written.
pub fn declared<'a>(env: &mut Environment, items: impl Iterator<Item = &'a syn::Item> + Clone) {
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
    let hidden = names_of(
        items
            .clone()
            .filter(|item| !matches!(item, syn::Item::Use(_))),
    );
    env.records.retain(|name, _| !hidden.contains(name));
    let open = structs.into_iter().filter(|s| {
        let name = s.ident.to_string();
        !is_conditional(&s.attrs) && !env.derived.contains(&name) && !dropped.contains(&name)
    });
    let mut open: Vec<&syn::ItemStruct> = open.collect();
    loop {
        let before = open.len();
        open.retain(|s| {
            let declared = declaration(s, env);
            let holds = declared
                .fields
                .iter()
                .any(|f| f.is_lent || env.mentions_record(&f.ty));
            if holds {
                env.records.insert(s.ident.to_string(), Rc::new(declared));
            }
            !holds
        });
        if open.len() == before {
            return;
        }
    }
}

fn declaration(s: &syn::ItemStruct, env: &Environment) -> Declared {
    let fields = s.fields.iter().enumerate().map(|(i, field)| Field {
        name: match &field.ident {
            Some(name) => name.to_string(),
            None => i.to_string(),
        },
        ty: field.ty.clone(),
        is_lent: refers(&field.ty, env) || arity(unboxed(&field.ty), &s.generics).is_some(),
        arity: arity(unboxed(&field.ty), &s.generics),
    });
    Declared {
        generics: s.generics.clone(),
        fields: fields.collect(),
    }
}

impl Environment {
    /// The declaration of the struct of this name, `Self` included, if it holds references.
    fn record(&self, name: &str) -> Option<(String, Rc<Declared>)> {
        let name = self.own_name(name);
        // `Data::<'a>`, the form in expressions.
        let name = base_name(name.split("::<").next().unwrap_or(name));
        Some((name.to_string(), Rc::clone(self.records.get(name)?)))
    }

    /// Whether the tokens name a struct that holds references.
    pub fn mentions_record(&self, tokens: &impl ToTokens) -> bool {
        if self.records.is_empty() {
            return false;
        }
        let mut names = Vec::new();
        words(&tokens.to_token_stream(), &mut names);
        names.iter().any(|name| self.record(name).is_some())
    }

    /// Whether the function takes or returns such a struct, or is a method of one.
    pub fn handles_records(&self, sig: &syn::Signature) -> bool {
        let of_own = sig.receiver().is_some() && self.mentions_record(&quote!(Self));
        of_own || self.mentions_record(&sig.inputs) || self.mentions_record(&sig.output)
    }
}

impl Lower {
    /// Constructs a struct that holds references out of these fields, and of a base for the others; `None` if the name
    /// is that of another struct.
    pub fn record(
        &mut self,
        name: &str,
        mut fields: Vec<(String, Value)>,
        base: Option<Value>,
        at: &impl Spanned,
    ) -> Option<Value> {
        let (name, declared) = self.env.record(name)?;
        let span = at.span();
        let base = base.map(Value::seen_through);
        let mut parts = Vec::new();
        for field in &declared.fields {
            let own = fields.iter().position(|(of, _)| *of == field.name);
            let value = match (own, &base) {
                (Some(at), _) => fields.swap_remove(at).1,
                (None, Some(Value::Record(of, parts))) => of.part(parts, &field.name)?,
                _ => return None,
            };
            self.tell_field(field, &declared.generics, &value);
            parts.push(self.field_of_record(field, value, span));
        }
        let ty = self.type_of_record(&name, &declared, &parts);
        let record = Record {
            name,
            ty,
            fields: declared.fields.clone(),
            is_new: true,
        };
        Some(Value::Record(Rc::new(record), parts))
    }

    /// Copies the struct to variables of its own, named after `name`; variables that no other binding owns are taken
    /// over.
    pub fn own_record(
        &mut self,
        name: &str,
        of: &Record,
        parts: Vec<Value>,
        mutable: bool,
        span: Span,
    ) -> Value {
        let is_generic = self
            .env
            .record(&of.name)
            .is_some_and(|(_, declared)| declared.generics.type_params().next().is_some());
        let fields = of.fields.iter().zip(parts);
        let own = fields.map(|(field, part)| {
            let name = format!("{name}_{}", field.name);
            if mutable
                && !is_generic
                && let Some(empty) = self.empty_reference(&name, &part, &field.ty, span)
            {
                return empty;
            }
            match part {
                Value::Place(p) if of.is_new && p.is_whole() => {
                    self.draft.func.rename(p.root, &name);
                    Value::Place(p)
                }
                part => {
                    let part = self.copied_out(part);
                    self.owned(&name, part, mutable, span)
                }
            }
        });
        let parts = own.collect();
        Value::Record(of.taken(), parts)
    }

    /// Copies the struct, unless no binding owns it.
    pub fn pin_record(&mut self, of: Rc<Record>, parts: Vec<Value>, span: Span) -> Value {
        if of.is_new {
            return Value::Record(of, parts);
        }
        let pinned = parts.into_iter().map(|v| {
            let v = self.copied_out(v);
            self.pin(v, span)
        });
        let parts = pinned.collect();
        let new = Record {
            is_new: true,
            ..Rc::unwrap_or_clone(of)
        };
        Value::Record(Rc::new(new), parts)
    }

    /// The value of a field that is a function.
    pub fn function_in_field(&mut self, of: &str, field: &str, e: &syn::Expr) -> Option<Value> {
        let (_, declared) = self.env.record(of)?;
        let field = declared.fields.iter().find(|f| f.name == field)?;
        Some(self.function_given(e, field.arity?))
    }

    /// The arguments of a tuple struct that holds references, if the path names one.
    pub fn held_by_record(&mut self, of: &syn::Path, args: &Arguments) -> Option<Vec<Value>> {
        let of = of.segments.last()?.ident.to_string();
        self.env.record(&of)?;
        let mut at = 0..;
        Some(self.operands_by(args.iter(), &mut |l, e| {
            let field = at.next().unwrap_or(0).to_string();
            let function = l.function_in_field(&of, &field, e);
            function.unwrap_or_else(|| l.expr(e))
        }))
    }

    /// Unifies a value's type with the declared type of its field, unless this is generic.
    fn tell_field(&mut self, field: &Field, generics: &syn::Generics, value: &Value) {
        let mut names = Vec::new();
        words(&field.ty.to_token_stream(), &mut names);
        let params: HashSet<String> = parameters(generics).into_iter().collect();
        let is_open = names.iter().any(|name| params.contains(name));
        if is_open || field.arity.is_some() || self.env.mentions_record(&field.ty) {
            return;
        }
        let found = self.value_ty(value);
        let ty = lower_type(&field.ty, &self.env).0;
        self.unify(&ty, &found);
    }

    /// The stored value of a field: a frozen reference, or a variable of its own.
    fn field_of_record(&mut self, field: &Field, value: Value, span: Span) -> Value {
        match (field.is_lent, value) {
            (true, value @ (Value::Closure(_) | Value::Choice(_) | Value::Lent(..))) => value,
            (true, Value::View(p, mutable)) => {
                let value = self.pin(Value::View(p, mutable), span);
                self.look_at(&value, span);
                value
            }
            (true, value) if matches!(ungrouped(&field.ty), syn::Type::Reference(_)) => {
                self.referred(value, false, span)
            }
            (_, value @ Value::Record(..)) => value,
            (_, value) => self.owned(&field.name, value, true, span),
        }
    }

    /// The struct's type, with generic arguments inferred from its fields.
    fn type_of_record(&mut self, name: &str, declared: &Declared, parts: &[Value]) -> Ty {
        let params = parameters(&declared.generics);
        let mut found = Found::new();
        for (field, part) in declared.fields.iter().zip(parts) {
            if !matches!(part, Value::Closure(_)) {
                let ty = self.value_ty(part);
                let ty = self.infer.resolve(&ty);
                tell(&field.ty, &ty, &params, &mut found);
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
