//! The environment of a function: its type parameters and the visible items.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::{associated_types, attributes, imports, overloads, signatures};
use crate::ir::{Mode, Ty};
use crate::lower::aggregate::reference_struct;
use crate::lower::aggregate::trait_object::ObjectEnums;
use crate::lower::expr::operator::VisibleOperator;
use crate::lower::inline;
use crate::lower::inline::InlineFn;
use crate::passes::activity::summary::Summaries;

/// The context of the function being lowered: type parameters, and the items that are visible to the macro.
#[derive(Default, Debug, Clone)]
pub struct Environment {
    /// Type parameters that carry floats.
    pub float_params: Vec<String>,
    /// Type parameters that are user types.
    pub user_type_params: Vec<String>,
    /// The traits that bound these, as pairs of parameter and trait.
    pub user_type_bounds: Vec<(String, String)>,
    /// The function's parameters that are not differentiated.
    pub excluded_params: Vec<String>,
    /// Parameters passed as `&mut` whose types seem to carry no floats.
    pub state_params: Vec<String>,
    /// The `float_params` whose bounds say that they are floats.
    pub certain_floats: Vec<String>,
    /// The bounds of the `float_params` whose methods can be called without naming another parameter.
    pub number_bounds: Vec<(String, syn::Generics)>,
    /// Type parameters that are constructed by `From`, without an `Option`.
    pub from_params: Vec<String>,
    /// Paths of the functions whose floats the user declares to be constants.
    pub inactive: Vec<String>,
    /// Type parameters that are functions.
    pub fn_params: Vec<String>,
    /// Those of them that only their owner can call: `FnMut` and `FnOnce`.
    pub fn_mut_params: Vec<String>,
    /// Const generic parameters, with their types.
    pub const_params: Vec<(String, Ty)>,
    /// The type that `Self` stands for.
    pub self_ty: Option<String>,
    /// The visible functions and methods.
    pub signatures: signatures::SignatureTable,
    /// Names of types that are not the standard library's.
    pub user_types: HashSet<String>,
    /// Types of the fields of visible structs and variants, by path and field.
    pub fields: HashMap<(String, String), Ty>,
    /// The same for generic structs: the field's type as an alias with the struct's parameters.
    pub generic_fields: HashMap<(String, String), syn::ItemType>,
    /// Types and modes of visible constants and statics, by name.
    pub constants: HashMap<String, (Ty, Mode)>,
    /// Operators of visible user types.
    pub operators: Vec<VisibleOperator>,
    /// The trait whose methods the current inherent `impl` contains.
    pub implemented_trait: Option<String>,
    /// Visible traits, by name.
    pub traits: HashMap<String, Rc<syn::ItemTrait>>,
    /// Methods that one type has by several `impl`s, by type and name.
    pub overloads: overloads::Overloads,
    /// Functions and constants that a type has both inherently and by a trait, by type and name.
    pub duplicate_items: HashSet<(String, String)>,
    /// The methods among them that may be called on values known by a trait alone.
    pub ambiguous_methods: HashSet<(String, String)>,
    /// Types that derive `Differentiable`.
    pub differentiable_types: HashSet<String>,
    /// Types that derive `Copy`.
    pub copy_types: HashSet<String>,
    /// Types that are iterators.
    pub iterator_types: HashSet<String>,
    /// Methods of std types that a visible trait provides as well.
    pub shadowed_std_methods: HashSet<String>,
    /// Imported names of the standard library's functions and constants, with their paths.
    pub imports: imports::Imports,
    /// Visible type aliases.
    pub aliases: HashMap<String, syn::ItemType>,
    /// The twins: types that replace user types whose boxes hold trait objects.
    pub twins: BTreeSet<String>,
    /// Whether lists in fields and parameters may be `VecDeque`s.
    pub deques: bool,
    /// Macros with a call whose expansion exceeds the limits.
    pub unbounded_macros: BTreeSet<String>,
    /// Names of the functions and values of the annotated module around the item, if there is one.
    pub module_names: Option<Rc<HashSet<String>>>,
    /// The enums that replace trait objects.
    pub object_enums: Rc<ObjectEnums>,
    /// Summaries of the visible functions, which they use about each other.
    pub summaries: Summaries,
    /// Traits that a box or a reference implements differently from its contents.
    pub non_forwarding_traits: HashSet<String>,
    /// Methods that only the type arguments of the current `impl` provide.
    pub dispatched_methods: HashSet<String>,
    /// Functions that call such methods on their own or their `impl`'s type parameters.
    pub dispatching_fns: HashSet<String>,
    /// Associated types of visible `impl`s.
    pub associated_types: associated_types::AssociatedTypes,
    /// Structs that contain references, by name.
    pub reference_structs: HashMap<String, Rc<reference_struct::RefStructDef>>,
    /// Functions that are inlined where they are called.
    pub templates: Vec<Rc<InlineFn>>,
}

impl Environment {
    /// The trait that the path names, if it is visible.
    pub fn trait_at(&self, path: &syn::Path) -> Option<&syn::ItemTrait> {
        let name = &path.segments.last()?.ident;
        self.traits.get(&name.to_string()).map(|of| &**of)
    }

    /// Adds the names of the types that the items declare, or import from elsewhere than the standard library, before
    /// types are lowered.
    pub fn declare_types<'a>(&mut self, items: impl Iterator<Item = &'a syn::Item> + Clone) {
        let declares = |item: &&syn::Item| match item {
            syn::Item::Struct(_) | syn::Item::Enum(_) => true,
            syn::Item::Use(u) => !imports::is_std_import(&u.tree),
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
        self.differentiable_types.extend(derived("Differentiable"));
        self.copy_types.extend(derived("Copy"));
        self.user_types
            .extend(inline::item_names(items.filter(declares)));
    }

    /// Whether a type of this name is not the standard library's.
    pub fn has_type(&self, name: &str) -> bool {
        self.user_types.contains(name)
    }

    /// The type of this name, where `Self` is resolved.
    pub fn resolve_self<'n>(&'n self, name: &'n str) -> &'n str {
        match (name, &self.self_ty) {
            ("Self", Some(own)) => own,
            _ => name,
        }
    }
}

/// Types that share or hide their contents, which can't be tracked.
const UNTRACKED: &[&str] = &[
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

/// Whether the contents of the type of this name can't be tracked. A visible struct is not the standard library's type
/// of that name.
pub fn is_untracked(name: &str, env: &Environment) -> bool {
    UNTRACKED.contains(&name) && !env.fields.keys().any(|(of, _)| of == name)
}
