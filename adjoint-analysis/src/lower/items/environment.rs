//! What is known around a function: its type parameters, and what is seen together with it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::{associated_types, attributes, imports, overloads, signatures};
use crate::ir::{Mode, Ty};
use crate::lower::aggregate::reference_struct;
use crate::lower::aggregate::trait_object::Objects;
use crate::lower::expr::operator::Operator;
use crate::lower::inline;
use crate::lower::inline::Template;
use crate::passes::activity::summary::Summaries;

/// What lowering knows beside the function: names of type parameters and constants.
#[derive(Default, Debug, Clone)]
pub struct Environment {
    /// Type parameters that carry floats.
    pub float_params: Vec<String>,
    /// Type parameters that stand for types of the user's.
    pub open_params: Vec<String>,
    /// Their traits, by the name of the parameter.
    pub open_bounds: Vec<(String, String)>,
    /// The parameters of the function that take no part.
    pub left_out: Vec<String>,
    /// Those that are lent as `&mut` and are of types that carry no floats, as it seems.
    pub states: Vec<String>,
    /// Those of the first whose bounds say that they are floats.
    pub certain_floats: Vec<String>,
    /// The bounds of the first, where a method that they give can be called without naming another parameter.
    pub number_bounds: Vec<(String, syn::Generics)>,
    /// Type parameters that are made `From` another type without an `Option`.
    pub from_params: Vec<String>,
    /// The paths of the functions whose floats the user takes as constants.
    pub inactive: Vec<String>,
    /// Type parameters whose values are called.
    pub functions: Vec<String>,
    /// Those of them that only their owner can call.
    pub stateful: Vec<String>,
    /// Const generic parameters, with their types.
    pub const_params: Vec<(String, Ty)>,
    /// The type that `Self` stands for.
    pub self_ty: Option<String>,
    /// The functions and methods that are seen together.
    pub seen: signatures::Seen,
    /// The names of types that are not the standard library's.
    pub types: HashSet<String>,
    /// The types of fields of structs and variants that are seen together, by path and field.
    pub fields: HashMap<(String, String), Ty>,
    /// The same of structs that are generic: what the field is, as an alias with the struct's parameters.
    pub generic_fields: HashMap<(String, String), syn::ItemType>,
    /// The types of constants and statics that are seen together and how these hold their values, by name.
    pub constants: HashMap<String, (Ty, Mode)>,
    /// The operators of users' types that are seen together.
    pub operators: Vec<Operator>,
    /// The trait whose methods stand in an inherent `impl`.
    pub of_trait: Option<String>,
    /// The traits that are seen together, by name.
    pub traits: HashMap<String, Rc<syn::ItemTrait>>,
    /// The methods that several `impl`s of one type have, by type and name.
    pub repeated: overloads::Overloads,
    /// What types have both of their own and by a trait.
    pub doubles: HashSet<(String, String)>,
    /// The methods among them that values known by a trait alone may be called by.
    pub confused: HashSet<(String, String)>,
    /// The types that derive `Differentiable`.
    pub derived: HashSet<String>,
    /// Those that derive `Copy`.
    pub copied: HashSet<String>,
    /// The types that are iterators.
    pub iterators: HashSet<String>,
    /// The methods of std's types that a trait gives them, too.
    pub of_std_types: HashSet<String>,
    /// What the standard library's functions and constants are imported as.
    pub imports: imports::Imports,
    /// What type aliases that are seen together stand for.
    pub aliases: HashMap<String, syn::ItemType>,
    /// The types that stand for others of the user's, whose boxes hold objects.
    pub twins: BTreeSet<String>,
    /// Whether lists in fields and parameters may be `VecDeque`s.
    pub deques: bool,
    /// The macros of which a call goes on beyond the limits of what is seen through.
    pub unbounded: BTreeSet<String>,
    /// The names of functions and values of the annotated module around the item, if there is one.
    pub taken: Option<Rc<HashSet<String>>>,
    /// The enums that stand for the objects of traits.
    pub objects: Rc<Objects>,
    /// What functions that are seen together show to each other.
    pub summaries: Summaries,
    /// Traits of which boxes and references have something else than what is in them.
    pub apart: HashSet<String>,
    /// Methods that only the arguments of the parameters of the `impl` at hand have.
    pub dispatched: HashSet<String>,
    /// The functions that call such methods of their own or their `impl`'s parameters.
    pub dispatching: HashSet<String>,
    /// The associated types of `impl`s that are seen together.
    pub associated: associated_types::Associated,
    /// The structs that hold references, by name.
    pub records: HashMap<String, Rc<reference_struct::Declared>>,
    /// The functions that are written out where they are called.
    pub templates: Vec<Rc<Template>>,
}

impl Environment {
    /// The trait that the path names, if it is seen.
    pub fn trait_at(&self, path: &syn::Path) -> Option<&syn::ItemTrait> {
        let name = &path.segments.last()?.ident;
        self.traits.get(&name.to_string()).map(|of| &**of)
    }

    /// Notes the names of the types that the items declare, or import from elsewhere than the standard library, before
    /// anything is said by them.
    pub fn declare_types<'a>(&mut self, items: impl Iterator<Item = &'a syn::Item> + Clone) {
        let declares = |item: &&syn::Item| match item {
            syn::Item::Struct(_) | syn::Item::Enum(_) => true,
            syn::Item::Use(u) => !imports::are_of_std(&u.tree),
            _ => false,
        };
        let derives = |item: &syn::Item, derived: &str| match item {
            syn::Item::Struct(s) if attributes::derives(&s.attrs, derived) => {
                Some(s.ident.to_string())
            }
            syn::Item::Enum(e) if attributes::derives(&e.attrs, derived) => {
                Some(e.ident.to_string())
            }
            _ => None,
        };
        let derived = |derived| items.clone().filter_map(move |item| derives(item, derived));
        self.derived.extend(derived("Differentiable"));
        self.copied.extend(derived("Copy"));
        self.types.extend(inline::names_of(items.filter(declares)));
    }

    /// Whether a type of this name is not the standard library's.
    pub fn has_type(&self, name: &str) -> bool {
        self.types.contains(name)
    }

    /// The type that a name stands for which may be `Self`.
    pub fn own_name<'n>(&'n self, name: &'n str) -> &'n str {
        match (name, &self.self_ty) {
            ("Self", Some(own)) => own,
            _ => name,
        }
    }
}

/// Types that share or hide what they hold, so that it can't be followed.
const OPAQUE: &[&str] = &[
    "Rc",
    "Arc",
    "Weak",
    "Cell",
    "RefCell",
    "OnceCell",
    "LazyCell",
    "UnsafeCell",
    "Mutex",
    "RwLock",
    "OnceLock",
    "LazyLock",
    "Cow",
    "HashMap",
    "BTreeMap",
    "NonNull",
    "ManuallyDrop",
    "MaybeUninit",
];

/// Whether what a value of the type of this name holds can't be followed. A struct that is seen is not
/// the one of the standard library.
pub fn hides_what_it_holds(name: &str, env: &Environment) -> bool {
    OPAQUE.contains(&name) && !env.fields.keys().any(|(of, _)| of == name)
}
