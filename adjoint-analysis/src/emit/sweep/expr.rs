//! Expressions and places.

use proc_macro2::{Delimiter, Ident, Literal, Spacing, TokenStream, TokenTree};

use crate::emit::calls::bound_methods::lacks_num_traits;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::{array_of, is_negative_literal, literal, parse, type_tokens};
use crate::emit::{Emit, private};
use crate::ir::{BinOp, CodeId, Expr, FloatTy, IntTy, Intrinsic, Place, Proj, Ty, UnOp};
use crate::lower::is_comparison;
use crate::mir::code::{CaptureMode, placeholder_index};
use crate::rules;

/// How tightly an operator binds; higher binds tighter.
fn precedence(op: BinOp) -> u8 {
    match op {
        BinOp::Or => 1,
        BinOp::And => 2,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => 3,
        BinOp::BitOr => 4,
        BinOp::BitXor => 5,
        BinOp::BitAnd => 6,
        BinOp::Shl | BinOp::Shr => 7,
        BinOp::Add | BinOp::Sub => 8,
        BinOp::Mul | BinOp::Div | BinOp::Rem => 9,
    }
}

const CAST: u8 = 10;
const UNARY: u8 = 11;
const POSTFIX: u8 = 12;

impl Emit<'_> {
    /// The expression.
    pub fn expr(&self, e: &Expr) -> TokenBuf {
        self.operand(e, 0)
    }

    /// The expression as the right operand of a subtraction or addition.
    pub fn subtrahend(&self, e: &Expr) -> TokenBuf {
        self.operand(e, precedence(BinOp::Sub) + 1)
    }

    /// The expression as an operand of an operator with precedence `outer`.
    fn operand(&self, e: &Expr, outer: u8) -> TokenBuf {
        let (tokens, inner) = self.with_precedence(e);
        match inner < outer {
            true => tokens.delimited(Delimiter::Parenthesis),
            false => tokens,
        }
    }

    fn with_precedence(&self, e: &Expr) -> (TokenBuf, u8) {
        let p = private();
        match e {
            Expr::Lit(text, ty) => {
                let strength = if is_negative_literal(e) {
                    UNARY
                } else {
                    POSTFIX
                };
                (literal(text, ty), strength)
            }
            Expr::Read(place) => self.read(place),
            Expr::Unary(op, a) => {
                let op = match op {
                    UnOp::Neg => "-",
                    UnOp::Not => "!",
                };
                (TokenBuf::prefixed(op, self.operand(a, UNARY)), UNARY)
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::Intrinsic(op, args) => (self.intrinsic(*op, args), POSTFIX),
            Expr::Partial(name, args) => {
                let function = code!(#p::partial::).then(parse(name));
                (function.call(args.iter().map(|a| self.expr(a))), POSTFIX)
            }
            Expr::Scale(seed, partial) => {
                if let Some(factor) = self.finite_factor(partial) {
                    let strength = precedence(BinOp::Mul);
                    let seed = self.operand(seed, strength);
                    return (code!(#seed * #factor), strength);
                }
                if let Expr::Partial(name, args) = &**partial
                    && rules::is_choice_name(name)
                {
                    let function = code!(#p::partial::chosen::).then(parse(name));
                    let args = std::iter::once(&**seed).chain(args);
                    return (function.call(args.map(|a| self.expr(a))), POSTFIX);
                }
                let args = [seed, partial].map(|a| self.expr(a));
                let scale = match rules::is_choice(partial) {
                    true => code!(#p::partial::choose),
                    false => self.scale(&seed.ty(&self.plan.func)),
                };
                (scale.call(args.into_iter()), POSTFIX)
            }
            Expr::Preaccumulated(value, _) => self.with_precedence(value),
            Expr::Cast(a, ty) => self.cast(a, ty),
            Expr::Len(place) if place.proj.ends_with(&[Proj::Items]) => {
                let (p, of) = (private(), self.borrow(place, false));
                (code!(#p::Items::count(#of)), POSTFIX)
            }
            Expr::Len(place) => {
                let len = self.receiver(place).then_operator(".");
                (
                    len.then(TokenBuf::name("len")).call(std::iter::empty()),
                    POSTFIX,
                )
            }
            Expr::Discrete(name, args, _) => (self.discrete(name, args), POSTFIX),
            Expr::Select(parts, _) => {
                let [condition, a, b] = &**parts;
                let [condition, a, b] = [condition, a, b].map(|e| self.expr(e));
                (code!(if #condition { #a } else { #b }), 0)
            }
            Expr::Aggregate(parts, ty) => (self.aggregate(parts, ty), POSTFIX),
            Expr::Repeat(value, count, ty) => (self.repeat(value, count, ty), POSTFIX),
            Expr::Variant(path, ..) if path == "None" => (variant_path(path), POSTFIX),
            // Braces are valid for all variants without fields.
            Expr::Variant(path, fields, _) => (self.variant(path, fields), 0),
            Expr::Is(place, path) if path == "_" => {
                let place = self.borrow(place, false);
                (code!(#p::Outcome::is_success(#place)), POSTFIX)
            }
            Expr::Is(place, path) => {
                let (place, path) = (self.place(place), variant_path(path));
                (code!(::core::matches!(#place, #path { .. })), POSTFIX)
            }
            Expr::ZeroLike(place) => (self.zero_like(place), POSTFIX),
            Expr::Code(id, places, _) => {
                let code = self.user_code(*id, places);
                // User code may be an expression of any precedence.
                let atom = code.is_one_token() || code.is_path_or_call();
                (code, if atom { POSTFIX } else { 0 })
            }
        }
    }

    fn read(&self, place: &Place) -> (TokenBuf, u8) {
        let tokens = self.place(place);
        let strength = if self.is_deref(place) { UNARY } else { POSTFIX };
        match place.ty {
            _ if place.is_whole() && self.moved.contains(&place.root) => (tokens, strength),
            _ if !is_copy(&place.ty) && !matches!(place.ty, Ty::Slice(_)) => {
                let tokens = if strength == UNARY {
                    tokens.delimited(Delimiter::Parenthesis)
                } else {
                    tokens
                };
                (code!(::core::clone::Clone::clone(&#tokens)), POSTFIX)
            }
            // An array or a `Vec`; only the call that made it knows which.
            Ty::Slice(_) if !place.is_unsized(&self.plan.func) => {
                (code!(::core::clone::Clone::clone(&#tokens)), POSTFIX)
            }
            Ty::Slice(_) => {
                let tokens = self.receiver(place);
                (code!(#tokens.to_vec()), POSTFIX)
            }
            _ => (tokens, strength),
        }
    }

    fn binary(&self, op: BinOp, a: &Expr, b: &Expr) -> (TokenBuf, u8) {
        if let (BinOp::Add, Expr::Cast(b, Ty::Int(IntTy::Infer))) = (op, b)
            && b.ty(&self.plan.func) == Ty::USIZE
        {
            // `b` is converted to the type of `a`, which may be a number whose type is not determined otherwise.
            let (p, a, b) = (private(), self.expr(a), self.expr(b));
            return (code!(#p::offset(#a, #b)), POSTFIX);
        }
        let strength = precedence(op);
        // Comparisons are non-associative; all others are left-associative.
        let left = if op.is_comparison() {
            strength + 1
        } else {
            strength
        };
        let (mut a_tokens, mut b_tokens) = (self.operand(a, left), self.operand(b, strength + 1));
        let mut operator = TokenBuf::empty().then_operator(op.symbol());
        if may_panic(op) && matches!(a.ty(&self.plan.func), Ty::Int(_)) {
            a_tokens = self.located_operand(a, a_tokens);
            b_tokens = self.located_operand(b, b_tokens);
            operator = self.located_operator(operator);
        }
        // `x as usize < n` would be parsed as generic arguments.
        if matches!(op, BinOp::Lt | BinOp::Shl) && ends_with_cast(a) {
            a_tokens = a_tokens.delimited(Delimiter::Parenthesis);
        }
        (a_tokens.then(operator).then(b_tokens), strength)
    }

    /// The name of a factor that is known to be finite.
    fn finite_factor(&self, factor: &Expr) -> Option<&Ident> {
        let mut known = self.finite_factors.iter();
        known.find_map(|(e, name)| (e == factor).then_some(name))
    }

    fn intrinsic(&self, op: Intrinsic, args: &[Expr]) -> TokenBuf {
        let p = private();
        let name = parse(op.name());
        let ty = args[0].ty(&self.plan.func);
        // A path; a method call would need the type at once.
        if let Ty::Float(FloatTy::Param(_) | FloatTy::Infer) = ty {
            let args = args.iter().map(|a| self.expr(a));
            if let Some(method) = self.bound_methods.method(op, &ty) {
                return method.call(args);
            }
            return match lacks_num_traits(op) {
                true => code!(#p::intrinsic::#name(#(#args),*)),
                false => code!(#p::num_traits::Float::#name(#(#args),*)),
            };
        }
        let method = self
            .operand(&args[0], POSTFIX)
            .then_operator(".")
            .then(name);
        method.call(args[1..].iter().map(|a| self.expr(a)))
    }

    fn cast(&self, a: &Expr, ty: &Ty) -> (TokenBuf, u8) {
        let p = private();
        let from = a.ty(&self.plan.func);
        let generic = |t: &Ty| matches!(t, Ty::Float(FloatTy::Param(_)));
        match type_tokens(ty) {
            Some(to) if generic(ty) || generic(&from) => {
                let a = self.expr(a);
                (code!(#p::cast::<_, #to>(#a)), POSTFIX)
            }
            Some(to) => {
                let a = self.operand(a, CAST);
                (a.then(TokenBuf::name("as")).then(to), CAST)
            }
            None => {
                let a = self.operand(a, CAST);
                (code!(#a as _), CAST)
            }
        }
    }

    fn discrete(&self, name: &str, args: &[Expr]) -> TokenBuf {
        let p = private();
        if let Some(name) = name.strip_prefix("__") {
            let (name, args) = (parse(name), args.iter().map(|a| self.expr(a)));
            return code!(#p::#name(#(#args),*));
        }
        let is_comparison = is_comparison(name);
        let by_ref = is_comparison || matches!(name, "cmp" | "partial_cmp" | "total_cmp");
        let name = parse(name);
        let receiver = self.operand(&args[0], POSTFIX);
        let rest = args[1..].iter().map(|a| {
            let a = self.expr(a);
            match by_ref {
                true => TokenBuf::prefixed("&", a.delimited(Delimiter::Parenthesis)),
                false => a,
            }
        });
        let value = receiver.then_operator(".").then(name).call(rest);
        match args[0].ty(&self.plan.func) {
            // A user method may have the same name and another return type.
            Ty::Infer(_) | Ty::Unknown | Ty::Named(_) if is_comparison => {
                code!(::core::convert::identity::<bool>(#value))
            }
            _ => value,
        }
    }

    fn aggregate(&self, parts: &[Expr], ty: &Ty) -> TokenBuf {
        let parts = parts.iter().map(|e| self.expr(e));
        match ty {
            Ty::Tuple(_) => code!((#(#parts,)*)),
            Ty::Vec(_) => code!(::std::vec![#(#parts),*]),
            Ty::Boxed(_) => code!(::std::boxed::Box::new(#(#parts),*)),
            Ty::Unit => code!(()),
            _ => code!([#(#parts),*]),
        }
    }

    /// Tuple variants are written with numbered fields, too.
    fn variant(&self, path: &str, fields: &[(String, Expr)]) -> TokenBuf {
        let fields = fields.iter().map(|(name, e)| {
            let (name, e) = (parse(name), self.expr(e));
            code!(#name: #e)
        });
        let path = variant_path(path);
        code!(#path { #(#fields),* })
    }

    fn repeat(&self, value: &Expr, count: &Expr, ty: &Ty) -> TokenBuf {
        let is_made = matches!(
            value,
            Expr::Aggregate(..) | Expr::Variant(..) | Expr::Repeat(..)
        );
        let value = self.expr(value);
        match ty {
            Ty::Array(element, extent) if is_made && !is_copy(element) => array_of(value, extent),
            Ty::Array(_, extent) => {
                let extent = parse(extent);
                code!([#value; #extent])
            }
            _ => {
                let count = self.expr(count);
                code!(::std::vec![#value; #count])
            }
        }
    }

    /// The user's code with its placeholders replaced by places.
    pub fn user_code(&self, id: CodeId, places: &[Place]) -> TokenBuf {
        let code = &self.code[id.index()];
        self.substitute(code.tokens.clone(), &|k, projected| {
            let place = &places[k];
            match code.modes[k] {
                // If only a part is used, only that part is borrowed.
                CaptureMode::Mut if !projected => {
                    self.borrow(place, true).delimited(Delimiter::Parenthesis)
                }
                CaptureMode::MutBorrow => {
                    self.borrow(place, true).delimited(Delimiter::Parenthesis)
                }
                CaptureMode::Shared | CaptureMode::Borrow => {
                    self.borrow(place, false).delimited(Delimiter::Parenthesis)
                }
                CaptureMode::Value | CaptureMode::Mut => {
                    let tokens = self.place(place);
                    match self.is_deref(place) {
                        true => tokens.delimited(Delimiter::Parenthesis),
                        false => tokens,
                    }
                }
            }
        })
    }

    /// The user's code over dummy values of these types; only its type is used.
    pub fn typed_user_code(&self, id: CodeId, types: &[Ty]) -> Option<TokenBuf> {
        let code = &self.code[id.index()];
        let types = types.iter().map(type_tokens).collect::<Option<Vec<_>>>()?;
        let values = types.into_iter().zip(&code.modes).map(|(ty, by)| match by {
            CaptureMode::Value => code!((loop {} as #ty)),
            CaptureMode::Shared | CaptureMode::Borrow => code!((&(loop {} as #ty))),
            CaptureMode::Mut | CaptureMode::MutBorrow => code!((&mut (loop {} as #ty))),
        });
        let values: Vec<TokenBuf> = values.collect();
        Some(self.substitute(code.tokens.clone(), &|k, _| values[k].clone()))
    }

    /// Replaces each placeholder in the code, by its number and whether a field, method or index follows.
    fn substitute(&self, code: TokenStream, by: &dyn Fn(usize, bool) -> TokenBuf) -> TokenBuf {
        let one = |token: TokenTree, next: Option<&TokenTree>| -> TokenBuf {
            match token {
                TokenTree::Ident(ident) => match placeholder_index(&ident) {
                    Some(k) => by(k, next.is_some_and(begins_projection)),
                    None => TokenTree::Ident(ident).into(),
                },
                TokenTree::Group(g) => {
                    let inner = self.substitute(g.stream(), by);
                    let mut new = proc_macro2::Group::new(g.delimiter(), inner.into());
                    new.set_span(g.span());
                    TokenTree::Group(new).into()
                }
                token => token.into(),
            }
        };
        let mut tokens = code.into_iter().peekable();
        let mut pieces = Vec::new();
        while let Some(token) = tokens.next() {
            pieces.push(one(token, tokens.peek()));
        }
        pieces.into_iter().collect()
    }

    // Places.

    /// The place as an rvalue.
    pub fn place(&self, place: &Place) -> TokenBuf {
        self.place_for(place, false)
    }

    /// The place as an lvalue.
    pub fn place_mut(&self, place: &Place) -> TokenBuf {
        self.place_for(place, true)
    }

    fn place_for(&self, place: &Place, write: bool) -> TokenBuf {
        let mut elements = self.elements.iter();
        if let Some((element, tokens)) = elements.find(|(element, _)| place.is_within(element)) {
            return self.project(tokens.clone(), &place.proj[element.proj.len()..], write);
        }
        if let Some((part, name)) = self.enclosing_reborrow(place) {
            let rest = &place.proj[part.proj.len()..];
            return self.project(self.located_part(name, rest), rest, write);
        }
        let root = self.located_root(place.root, &place.proj);
        // Rust auto-derefs the root before all other projections.
        let enters = matches!(
            place.proj.first(),
            Some(Proj::Variant(..) | Proj::Deref | Proj::Single)
        );
        match self.is_deref(place) || (enters && self.is_reference(place.root)) {
            true => self.project(TokenBuf::prefixed("*", root), &place.proj, write),
            false => self.project(root, &place.proj, write),
        }
    }

    /// The smallest reborrowed part that contains the place, and its name.
    fn enclosing_reborrow(&self, place: &Place) -> Option<&(Place, Ident)> {
        let around = self
            .reborrows
            .iter()
            .filter(|(part, _)| place.is_within(part));
        around.max_by_key(|(part, _)| part.proj.len())
    }

    /// Whether the place is emitted with a `*`: it is the whole referent of a reference.
    pub fn is_deref(&self, place: &Place) -> bool {
        self.enclosing_reborrow(place).is_none()
            && place.is_whole()
            && self.is_reference(place.root)
    }

    /// The place as a receiver, which needs no `*`.
    pub fn receiver(&self, place: &Place) -> TokenBuf {
        self.receiver_for(place, false)
    }

    /// The same for a method that may write.
    pub fn receiver_for(&self, place: &Place, write: bool) -> TokenBuf {
        match self.is_deref(place) {
            true => self.name(place.root).clone().into(),
            false => self.place_for(place, write),
        }
    }

    fn project(&self, mut tokens: TokenBuf, proj: &[Proj], write: bool) -> TokenBuf {
        let mut lent = false;
        for step in proj {
            tokens = match step {
                Proj::Items => tokens,
                Proj::Index(i) if lent => {
                    let (p, i) = (private(), self.expr(i));
                    match write {
                        true => code!((*#p::ItemsMut::lent_mut(&mut #tokens, #i))),
                        false => code!((*#p::Items::lent(&#tokens, #i))),
                    }
                }
                Proj::Field(name) => tokens.then_operator(".").then(field(name)),
                Proj::Index(i) => tokens.then(self.bracketed(self.expr(i))),
                Proj::Range(lo, hi) => {
                    let (lo, hi) = (self.range_end(lo), self.range_end(hi));
                    let range = lo.then_operator("..").then(hi);
                    tokens.then(self.bracketed(range))
                }
                Proj::Head(mid) => {
                    let range = TokenBuf::prefixed("..", self.expr(mid));
                    tokens.then(self.bracketed(range))
                }
                Proj::Tail(mid) => {
                    let range = self.expr(mid).then_operator("..");
                    tokens.then(self.bracketed(range))
                }
                Proj::Chunk(at, extent) => {
                    let (at, extent) = (self.expr(at), parse(extent));
                    match write {
                        true => code!(#tokens.as_chunks_mut::<{ #extent }>().0[#at]),
                        false => code!(#tokens.as_chunks::<{ #extent }>().0[#at]),
                    }
                }
                Proj::Single => match write {
                    true => code!((*::core::array::from_mut(&mut #tokens))),
                    false => code!((*::core::array::from_ref(&#tokens))),
                },
                Proj::Deref => TokenBuf::prefixed("*", tokens).delimited(Delimiter::Parenthesis),
                // `Some` or `Ok`; rustc infers which.
                Proj::Variant(variant, _) if variant == "_" => {
                    let p = private();
                    match write {
                        true => code!((*#p::Outcome::payload_mut(&mut #tokens))),
                        false => code!((*#p::Outcome::payload(&#tokens))),
                    }
                }
                Proj::Variant(variant, field) => {
                    let (variant, field) = (variant_path(variant), self::field(field));
                    let bound = &Ident::new("field", proc_macro2::Span::mixed_site());
                    let borrow = if write { code!(&mut) } else { code!(&) };
                    code!((*match #borrow #tokens {
                        #variant { #field: #bound, .. } => #bound,
                        _ => ::core::unreachable!(),
                    }))
                }
            };
            lent = matches!(step, Proj::Items);
        }
        tokens
    }

    fn range_end(&self, e: &Option<Box<Expr>>) -> TokenBuf {
        let strength = precedence(BinOp::Or);
        e.as_ref()
            .map_or_else(TokenBuf::empty, |e| self.operand(e, strength))
    }

    /// `&place`, `&mut place`
    pub fn borrow(&self, place: &Place, mutable: bool) -> TokenBuf {
        let tokens = self.place_for(place, mutable);
        // A reborrowed part is a reference already.
        let tokens = match self.enclosing_reborrow(place) {
            Some((part, _)) if part.proj == place.proj => TokenBuf::prefixed("*", tokens),
            _ => tokens,
        };
        let reference = TokenBuf::prefixed("&", TokenBuf::empty());
        match mutable {
            true => reference.then(TokenBuf::name("mut")).then(tokens),
            false => reference.then(tokens),
        }
    }
}

/// Whether the type is `Copy`.
pub(super) fn is_copy(ty: &Ty) -> bool {
    match ty {
        Ty::Array(t, _) => is_copy(t),
        Ty::Tuple(ts) => ts.iter().all(is_copy),
        Ty::Vec(_)
        | Ty::Named(_)
        | Ty::Unknown
        | Ty::Boxed(_)
        | Ty::Option(_)
        | Ty::Result(..)
        | Ty::Slice(_) => false,
        Ty::Discrete(name) => !name.ends_with("String"),
        _ => true,
    }
}

/// A field, by name or number.
pub(in crate::emit) fn field(name: &str) -> TokenBuf {
    match name.parse::<u32>() {
        Ok(number) => Literal::u32_unsuffixed(number).into(),
        Err(_) => parse(name),
    }
}

/// The path of a variant; those of std are absolute, because the user may shadow them.
pub(in crate::emit) fn variant_path(path: &str) -> TokenBuf {
    match path {
        "Some" | "None" => parse(&format!("::core::option::Option::{path}")),
        "Ok" | "Err" => parse(&format!("::core::result::Result::{path}")),
        path => parse(path),
    }
}

/// Whether the operation may panic on integers.
fn may_panic(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr
    )
}

fn ends_with_cast(e: &Expr) -> bool {
    match e {
        Expr::Cast(..) => true,
        Expr::Binary(_, _, b) => ends_with_cast(b),
        Expr::Unary(_, a) => ends_with_cast(a),
        _ => false,
    }
}

/// Whether the token begins a field access, method call or index.
fn begins_projection(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(dot) => dot.as_char() == '.' && dot.spacing() == Spacing::Alone,
        TokenTree::Group(index) => index.delimiter() == Delimiter::Bracket,
        _ => false,
    }
}
