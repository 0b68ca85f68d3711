//! The stacks of a tape, found by type.

use std::any::Any;
use std::io::{self, Read, Write};

use super::account::Account;
use super::stack::Stack;
use super::stats::Pushed;
use crate::checkpoint::Encode;
use crate::sweep_error::Holder;

/// A stack of a type that has no field of its own.
trait AnyStack: Any {
    fn on(account: Option<Account>) -> Self
    where
        Self: Sized;

    /// Copies the values to a stack of the same type among others.
    fn copy_to(&self, others: &mut FoundStacks);

    fn pushed(&self) -> Pushed;
    fn clear(&mut self);
}

impl<T: Copy + Send + 'static> AnyStack for Stack<T> {
    fn on(account: Option<Account>) -> Self {
        Stack::on(account)
    }

    fn copy_to(&self, others: &mut FoundStacks) {
        others.of::<Self>().copy_from(self);
    }

    fn pushed(&self) -> Pushed {
        Pushed::of::<T>(self.len())
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// An owned value.
struct Moved<T> {
    value: T,
    /// The bytes that it is counted with, and to whom they are charged.
    bytes: usize,
    holder: Option<Holder>,
}

/// Owned values.
struct OwnedStack<T>(Stack<Moved<T>>);

impl<T> OwnedStack<T> {
    fn push(&mut self, value: T, bytes: usize) {
        let account = self.0.account.as_ref();
        let holder = account.map(|account| {
            let holder = account.holder(None);
            account.charge(holder, 1, bytes, bytes);
            holder
        });
        self.0.push_owned(Moved {
            value,
            bytes,
            holder,
        });
    }

    fn pop(&mut self) -> T {
        let moved = self.0.pop_owned();
        if let (Some(account), Some(holder)) = (&self.0.account, moved.holder) {
            account.release(holder, moved.bytes);
        }
        moved.value
    }
}

impl<T: Clone + Send + 'static> AnyStack for OwnedStack<T> {
    fn on(account: Option<Account>) -> Self {
        OwnedStack(Stack::on(account))
    }

    fn copy_to(&self, others: &mut FoundStacks) {
        let copy = others.of::<Self>();
        for moved in self.0.iter() {
            copy.push(moved.value.clone(), moved.bytes);
        }
    }

    fn pushed(&self) -> Pushed {
        Pushed {
            entries: self.0.len(),
            bytes: self.0.iter().map(|moved| moved.bytes).sum(),
        }
    }

    fn clear(&mut self) {
        while !self.0.is_empty() {
            self.pop();
        }
    }
}

/// Stacks that are found by a search. A function uses few types, so a list is as good as a map.
#[derive(Default)]
pub(super) struct FoundStacks {
    stacks: Vec<Box<dyn AnyStack + Send>>,
    account: Option<Account>,
}

impl FoundStacks {
    fn on(account: Option<Account>) -> FoundStacks {
        FoundStacks {
            stacks: Vec::new(),
            account,
        }
    }

    fn of<S: AnyStack + Send>(&mut self) -> &mut S {
        let mut stacks = self.stacks.iter();
        let at = stacks.position(|stack| (&**stack as &dyn Any).is::<S>());
        let at = at.unwrap_or_else(|| {
            self.stacks.push(Box::new(S::on(self.account.clone())));
            self.stacks.len() - 1
        });
        let found: &mut dyn Any = &mut *self.stacks[at];
        found
            .downcast_mut()
            .expect("the stack at this position has the type looked for")
    }

    fn copy_from(&mut self, other: &FoundStacks) {
        self.clear();
        other.stacks.iter().for_each(|stack| stack.copy_to(self));
    }

    /// Whether there are any.
    #[inline]
    pub(super) fn exist(&self) -> bool {
        !self.stacks.is_empty()
    }

    pub(super) fn pushed(&self) -> Pushed {
        let sizes = self.stacks.iter().map(|stack| stack.pushed());
        sizes.fold(Pushed::default(), |sum, one| sum + one)
    }

    fn clear(&mut self) {
        self.stacks.iter_mut().for_each(|stack| stack.clear());
    }
}

/// The stack if it has this type. Folds away when compiled.
#[inline(always)]
fn if_of<T: 'static>(stack: &mut dyn Any) -> Option<&mut Stack<T>> {
    stack.downcast_mut()
}

/// The stacks of floating-point types.
#[derive(Default)]
pub struct Reals {
    pub(super) f64: Stack<f64>,
    pub(super) f32: Stack<f32>,
    pub(super) others: FoundStacks,
}

impl Reals {
    pub(super) fn on(account: &Option<Account>) -> Reals {
        Reals {
            f64: Stack::on(account.clone()),
            f32: Stack::on(account.clone()),
            others: FoundStacks::on(account.clone()),
        }
    }

    /// The stack of this type.
    #[inline]
    pub fn of<T: Copy + Send + 'static>(&mut self) -> &mut Stack<T> {
        if let Some(stack) = if_of(&mut self.f64) {
            return stack;
        }
        if let Some(stack) = if_of(&mut self.f32) {
            return stack;
        }
        self.others.of()
    }

    pub(super) fn copy_from(&mut self, other: &Reals) {
        self.f64.copy_from(&other.f64);
        self.f32.copy_from(&other.f32);
        self.others.copy_from(&other.others);
    }

    pub(super) fn clear(&mut self) {
        self.f64.clear();
        self.f32.clear();
        self.others.clear();
    }
}

/// The stacks of discrete types.
#[derive(Default)]
pub struct Integers {
    pub(super) usize: Stack<usize>,
    /// Made on first use: an adjoint that makes and drops a tape then pays for few stacks.
    pub(super) others: Option<Box<OtherIntegers>>,
    account: Option<Account>,
}

impl Integers {
    pub(super) fn on(account: &Option<Account>) -> Integers {
        Integers {
            usize: Stack::on(account.clone()),
            others: None,
            account: account.clone(),
        }
    }

    /// The stacks of other types.
    pub(super) fn others(&mut self) -> &mut OtherIntegers {
        let others = &mut self.others;
        others.get_or_insert_with(|| OtherIntegers::boxed(&self.account))
    }

    /// The stack of this type.
    #[inline]
    pub fn of<T: Copy + Send + 'static>(&mut self) -> &mut Stack<T> {
        if let Some(stack) = if_of(&mut self.usize) {
            return stack;
        }
        let others = &mut self.others;
        others
            .get_or_insert_with(|| OtherIntegers::boxed(&self.account))
            .of()
    }

    pub(super) fn copy_from(&mut self, other: &Integers) {
        self.usize.copy_from(&other.usize);
        match &other.others {
            Some(others) => self.others().copy_from(others),
            None => self.others = None,
        }
    }

    pub(super) fn clear(&mut self) {
        self.usize.clear();
        if let Some(others) = &mut self.others {
            others.clear();
        }
    }
}

macro_rules! other_integers {
    ($($ty:ident)*) => {
        /// The stacks of the discrete types that are recorded less often.
        pub(super) struct OtherIntegers {
            $($ty: Stack<$ty>,)*
            others: FoundStacks,
        }

        impl OtherIntegers {
            #[cold]
            #[inline(never)]
            fn boxed(account: &Option<Account>) -> Box<OtherIntegers> {
                Box::new(OtherIntegers {
                    $($ty: Stack::on(account.clone()),)*
                    others: FoundStacks::on(account.clone()),
                })
            }

            /// The stack of this type.
            #[inline]
            fn of<T: Copy + Send + 'static>(&mut self) -> &mut Stack<T> {
                $(
                    if let Some(stack) = if_of(&mut self.$ty) {
                        return stack;
                    }
                )*
                self.others.of()
            }

            /// Writes the stacks of the types above.
            pub(super) fn encode(&self, to: &mut impl Write) -> io::Result<()> {
                $(self.$ty.encode(to)?;)*
                Ok(())
            }

            pub(super) fn decode(&mut self, from: &mut impl Read) -> io::Result<()> {
                $(self.$ty.decode(from)?;)*
                Ok(())
            }

            /// The values of other types.
            pub(super) fn others(&self) -> Pushed {
                self.others.pushed()
            }

            pub(super) fn pushed(&self) -> Pushed {
                let mut sum = self.others.pushed();
                $(sum += Pushed::of::<$ty>(self.$ty.len());)*
                sum
            }

            fn copy_from(&mut self, other: &OtherIntegers) {
                $(self.$ty.copy_from(&other.$ty);)*
                self.others.copy_from(&other.others);
            }

            fn clear(&mut self) {
                $(self.$ty.clear();)*
                self.others.clear();
            }
        }
    };
}

other_integers! { isize i32 u32 i64 u64 u8 i8 u16 i16 u128 i128 bool char }

/// The stacks of owned values, which move onto the tape and back.
#[derive(Default)]
pub(super) struct Owned(FoundStacks);

impl Owned {
    pub(super) fn on(account: &Option<Account>) -> Owned {
        Owned(FoundStacks::on(account.clone()))
    }

    pub(super) fn push<T: Clone + Send + 'static>(&mut self, value: T, bytes: usize) {
        self.0.of::<OwnedStack<T>>().push(value, bytes);
    }

    pub(super) fn pop<T: Clone + Send + 'static>(&mut self) -> T {
        self.0.of::<OwnedStack<T>>().pop()
    }

    pub(super) fn copy_from(&mut self, other: &Owned) {
        self.0.copy_from(&other.0);
    }

    /// Whether there is a stack.
    #[inline]
    pub(super) fn exist(&self) -> bool {
        self.0.exist()
    }

    pub(super) fn pushed(&self) -> Pushed {
        self.0.pushed()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
