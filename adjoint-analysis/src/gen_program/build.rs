//! Short constructors for IR.

use crate::ir::{
    Arg, BinOp, Block, Call, Callee, Expr, Func, IntTy, Intrinsic, Mode, Origin, Place, Stmt,
    StmtId, StmtKind, Ty, UnOp, VarId,
};

/// A function without parameters and statements.
pub fn func(name: &str) -> Func {
    Func {
        name: name.to_string(),
        params: Vec::new(),
        ret: None,
        vars: Vec::new(),
        body: Block::default(),
        checkpoints: Default::default(),
        name_cache: Default::default(),
        complete_structs: Default::default(),
    }
}

/// Adds a parameter.
pub fn param(func: &mut Func, name: &str, ty: Ty, mode: Mode) -> VarId {
    let var = func.add_var(name, ty, mode, Origin::Param);
    func.params.push(var);
    var
}

/// Adds the variable that is returned.
pub fn ret(func: &mut Func, ty: Ty) -> VarId {
    let var = func.add_var("ret", ty, Mode::Owned, Origin::Ret);
    func.ret = Some(var);
    var
}

/// Adds a local variable; a `let` has to declare it.
pub fn local(func: &mut Func, name: &str, ty: Ty) -> VarId {
    func.add_var(name, ty, Mode::Owned, Origin::Local)
}

/// Numbers the statements in textual order.
pub fn number(block: &mut Block) {
    fn visit(block: &mut Block, next: &mut u32) {
        for stmt in &mut block.stmts {
            stmt.id = StmtId(*next);
            *next += 1;
            match &mut stmt.kind {
                StmtKind::If(_, a, b) => {
                    visit(a, next);
                    visit(b, next);
                }
                StmtKind::Loop(_, body) => visit(body, next),
                _ => {}
            }
        }
    }
    visit(block, &mut 0);
}

/// Numbers the statements of a function anew.
pub fn renumber(func: &mut Func) {
    let mut loops = Vec::new();
    func.body.walk(&mut |s| loops.push(s.id));
    number(&mut func.body);
    let old = std::mem::take(&mut func.checkpoints);
    // Statements are numbered in the order of the walk.
    for (new, id) in loops.into_iter().enumerate() {
        let checkpoint = old.get(&id).cloned();
        func.checkpoints
            .extend(checkpoint.map(|c| (StmtId(new as u32), c)));
    }
}

/// A statement that is still without number.
pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        id: StmtId(0),
        kind,
    }
}

/// A block of statements that are still without numbers.
pub fn block(kinds: impl IntoIterator<Item = StmtKind>) -> Block {
    Block::new(kinds.into_iter().map(stmt).collect())
}

/// A call.
pub fn call(result: Option<VarId>, name: &str, args: Vec<Arg>) -> Call {
    Call {
        result,
        callee: Callee {
            name: name.to_string(),
            path: None,
        },
        args,
    }
}

/// A real literal; a negative one is a negation, as in Rust.
pub fn real(value: f64) -> Expr {
    let literal = Expr::Lit(format!("{:?}", value.abs()), Ty::F64);
    if value.is_sign_negative() {
        neg(literal)
    } else {
        literal
    }
}

/// A `usize` literal.
pub fn usize(value: usize) -> Expr {
    Expr::Lit(value.to_string(), Ty::USIZE)
}

/// An integer literal.
pub fn int(value: i64, ty: IntTy) -> Expr {
    let literal = Expr::Lit(value.unsigned_abs().to_string(), Ty::Int(ty));
    if value < 0 { neg(literal) } else { literal }
}

/// `-x`
pub fn neg(x: Expr) -> Expr {
    Expr::Unary(UnOp::Neg, Box::new(x))
}

/// `x op y`
pub fn binary(op: BinOp, x: Expr, y: Expr) -> Expr {
    Expr::Binary(op, Box::new(x), Box::new(y))
}

/// `x + y`
pub fn add(x: Expr, y: Expr) -> Expr {
    binary(BinOp::Add, x, y)
}

/// `x - y`
pub fn sub(x: Expr, y: Expr) -> Expr {
    binary(BinOp::Sub, x, y)
}

/// `x * y`
pub fn mul(x: Expr, y: Expr) -> Expr {
    binary(BinOp::Mul, x, y)
}

/// `x / y`
pub fn div(x: Expr, y: Expr) -> Expr {
    binary(BinOp::Div, x, y)
}

/// `x % y`
pub fn rem(x: Expr, y: Expr) -> Expr {
    binary(BinOp::Rem, x, y)
}

/// A function of reals.
pub fn intrinsic(op: Intrinsic, args: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Intrinsic(op, args.into_iter().collect())
}

/// `[ty; n]`
pub fn array(ty: Ty, n: usize) -> Ty {
    Ty::Array(Box::new(ty), n.to_string())
}

/// `[f64]`
pub fn slice() -> Ty {
    Ty::Slice(Box::new(Ty::F64))
}

/// The value of a place.
pub fn read(place: Place) -> Expr {
    Expr::Read(place)
}
