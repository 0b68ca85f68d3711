//! Plans written by hand, each right as it stands.

mod calls;
mod control;
mod snapshots;

pub use calls::CALLERS;
pub use control::*;
pub use snapshots::CHECKPOINTED;

/// No control flow: a local that is recomputed, one that is recorded, and a result that is read.
pub const STRAIGHT: &str = "
fn f(x, k) -> r {
  var x: f64; var k: f64; var r: f64; var a: f64; var b: f64;
  var x_adj: f64 adjoint of x; var k_adj: f64 adjoint of k; var r_adj: f64 adjoint of r;
  var a_adj: f64 adjoint of a; var b_adj: f64 adjoint of b;
} {
  #0 let a = k + 1.0f64;
  #1 let b = exp(x * a);
  #2 r = b * a;
}
records { r0: value f64 on stack of #1; }
adjoints { x: x_adj; k: k_adj; r: r_adj; a: a_adj; b: b_adj; }
restores; interface x, k; calls { }
forward {
  #0 let a = k + 1.0f64;
  #1 let b = exp(x * a);
  #2 r = b * a;
  #1 record r0 b;
}
reverse {
  #1 let b;
  #1 restore r0 b;
  #0 let a = k + 1.0f64;
  #0 let a_adj = 0.0f64;
  #1 let b_adj = 0.0f64;
  #2 b_adj += scale(r_adj, a);
  #2 a_adj += scale(r_adj, b);
  #2 zero r_adj;
  #1 x_adj += scale(b_adj, b * a);
  #1 a_adj += scale(b_adj, b * x);
  #0 k_adj += a_adj;
}";

/// A variable and an element are overwritten; a statement reads what it overwrites, and one needs
/// both the old value and the result.
pub const OVERWRITE: &str = "
fn f(x, p, y) -> r {
  var x: f64; var p: f64; var y: &mut [f64]; var r: f64; var s: f64;
  var result: f64 temp; var old: f64 temp;
  var x_adj: f64 adjoint of x; var p_adj: f64 adjoint of p; var y_adj: &mut [f64] adjoint of y;
  var r_adj: f64 adjoint of r; var s_adj: f64 adjoint of s;
} {
  #0 let s = x;
  #1 s = powf(s, p);
  #2 y[0usize] = y[0usize] * s;
  #3 s = sin(y[0usize]);
  #4 y[0usize] = 2.0f64;
  #5 r = s * x;
}
records {
  r0: value f64 on stack of #1; r1: value f64 on stack of #2;
  r2: value f64 on stack of #3; r3: value f64 on stack of #4; r4: value f64 on stack of #0;
}
adjoints { x: x_adj; p: p_adj; y: y_adj; r: r_adj; s: s_adj; }
restores y; interface x, p, y; calls { }
forward {
  #0 let s = x;
  #1 record r0 s;
  #1 s = powf(s, p);
  #2 record r1 y[0usize];
  #2 y[0usize] = y[0usize] * s;
  #3 record r2 s;
  #3 s = sin(y[0usize]);
  #4 record r3 y[0usize];
  #4 y[0usize] = 2.0f64;
  #5 r = s * x;
  #0 record r4 s;
}
reverse {
  #0 let s;
  #0 restore r4 s;
  #0 let s_adj = 0.0f64;
  #5 s_adj += scale(r_adj, x);
  #5 x_adj += scale(r_adj, s);
  #5 zero r_adj;
  #4 restore r3 y[0usize];
  #4 zero y_adj[0usize];
  #3 y_adj[0usize] += scale(s_adj, partial::sin(y[0usize]));
  #3 zero s_adj;
  #3 restore r2 s;
  #2 restore r1 y[0usize];
  #2 s_adj += scale(y_adj[0usize], y[0usize]);
  #2 y_adj[0usize] = scale(y_adj[0usize], s);
  #1 let result = s;
  #1 restore r0 s;
  #1 p_adj += scale(s_adj, partial::powf_p(s, p, result));
  #1 s_adj = scale(s_adj, partial::powf_x(s, p));
  #0 x_adj += s_adj;
}";

/// A counted loop that pushes.
pub const PUSH: &str = "
fn f(x, n) -> r {
  var x: &[f64]; var n: usize; var r: f64; var s: f64; var t: f64; var i: usize;
  var x_adj: &mut [f64] adjoint of x; var r_adj: f64 adjoint of r; var s_adj: f64 adjoint of s;
  var t_adj: f64 adjoint of t;
} {
  #0 let s = x[0usize];
  #1 for i in 0usize..n {
    #2 let t = sin(s);
    #3 s = t * x[i];
  }
  #4 r = s;
}
records { r0: value f64 on stack of #3; r1: value f64 on stack of #2; }
adjoints { x: x_adj; r: r_adj; s: s_adj; t: t_adj; }
restores; interface x; calls { }
forward {
  #0 let s = x[0usize];
  #1 for i in 0usize..n {
    #2 let t = sin(s);
    #3 record r0 s;
    #3 s = t * x[i];
    #2 record r1 t;
  }
  #4 r = s;
}
reverse {
  #0 let s;
  #0 let s_adj = 0.0f64;
  #4 s_adj += r_adj;
  #4 zero r_adj;
  #1 for i in rev 0usize..n {
    #2 let t;
    #2 restore r1 t;
    #2 let t_adj = 0.0f64;
    #3 restore r0 s;
    #3 t_adj += scale(s_adj, x[i]);
    #3 x_adj[i] += scale(s_adj, t);
    #3 zero s_adj;
    #2 s_adj += scale(t_adj, partial::sin(s));
  }
  #0 x_adj[0usize] += s_adj;
}";

/// A counted loop with a frame, whose index goes through a recomputed one.
pub const FRAME: &str = "
fn f(x, y, m) {
  var x: &[f64]; var y: &mut [f64]; var m: &[usize]; var i: usize; var j: usize;
  var x_adj: &mut [f64] adjoint of x; var y_adj: &mut [f64] adjoint of y;
} {
  #0 for i in 0usize..len(m) {
    #1 let j = m[i];
    #2 y[j] = y[j] * x[j];
  }
}
records { r0: value f64 in frame #0 slot 0 of #2; }
adjoints { x: x_adj; y: y_adj; }
restores y; interface x, y; calls { }
forward {
  #0 for i in 0usize..len(m) {
    #1 let j = m[i];
    #2 record r0 y[j];
    #2 y[j] = y[j] * x[j];
  }
}
reverse {
  #0 for i in rev 0usize..len(m) {
    #1 let j = m[i];
    #2 restore r0 y[j];
    #2 x_adj[j] += scale(y_adj[j], y[j]);
    #2 y_adj[j] = scale(y_adj[j], x[j]);
  }
}";

/// A loop of unknown length with a branch, both recorded.
pub const WHILE: &str = "
fn f(x) -> r {
  var x: f64; var r: f64; var s: f64; var n: usize temp; var trips: usize temp; var w: bool temp;
  var x_adj: f64 adjoint of x; var r_adj: f64 adjoint of r; var s_adj: f64 adjoint of s;
} {
  #0 let s = x;
  #1 while s < 100.0f64 {
    #2 if s < 3.0f64 {
      #3 s = sin(s);
    } else {
      #4 s = s * s;
    }
  }
  #5 r = s;
}
records {
  r0: value f64 on stack of #3; r1: value f64 on stack of #4; r2: flag on stack of #2;
  r3: count on stack of #1;
}
adjoints { x: x_adj; r: r_adj; s: s_adj; }
restores; interface x; calls { }
forward {
  #0 let s = x;
  #1 let n = 0usize;
  #1 while s < 100.0f64 {
    #1 n = n + 1usize;
    #2 if s < 3.0f64 {
      #3 record r0 s;
      #3 s = sin(s);
      #2 record r2 way true;
    } else {
      #4 record r1 s;
      #4 s = s * s;
      #2 record r2 way false;
    }
  }
  #1 record r3 way n;
  #5 r = s;
}
reverse {
  #0 let s;
  #0 let s_adj = 0.0f64;
  #5 s_adj += r_adj;
  #5 zero r_adj;
  #1 let trips = way r3;
  #1 times trips {
    #2 let w = way r2;
    #2 if w {
      #3 restore r0 s;
      #3 s_adj = scale(s_adj, partial::sin(s));
    } else {
      #4 restore r1 s;
      #4 s_adj = scale(s_adj, s + s);
    }
  }
  #0 x_adj += s_adj;
}";

/// A branch whose condition is saved in a variable, and one whose condition can be computed again.
pub const BRANCH: &str = "
fn f(x, k) -> r {
  var x: f64; var k: usize; var r: f64; var s: f64; var c: bool temp; var w: bool temp;
  var x_adj: f64 adjoint of x; var r_adj: f64 adjoint of r; var s_adj: f64 adjoint of s;
} {
  #0 let s = x * x;
  #1 if s < 2.0f64 {
    #2 s = sin(s);
  }
  #3 if k < 3usize {
    #4 s = s * x;
  }
  #5 r = s;
}
records { r0: value f64 on stack of #2; r1: flag on stack of #1; r2: value f64 on stack of #4; }
adjoints { x: x_adj; r: r_adj; s: s_adj; }
restores; interface x; calls { }
forward {
  #0 let s = x * x;
  #1 let c = s < 2.0f64;
  #1 if c {
    #2 record r0 s;
    #2 s = sin(s);
  }
  #1 record r1 way c;
  #3 if k < 3usize {
    #4 record r2 s;
    #4 s = s * x;
  }
  #5 r = s;
}
reverse {
  #0 let s;
  #0 let s_adj = 0.0f64;
  #5 s_adj += r_adj;
  #5 zero r_adj;
  #3 if k < 3usize {
    #4 restore r2 s;
    #4 x_adj += scale(s_adj, s);
    #4 s_adj = scale(s_adj, x);
  }
  #1 let w = way r1;
  #1 if w {
    #2 restore r0 s;
    #2 s_adj = scale(s_adj, partial::sin(s));
  }
  #0 x_adj += scale(s_adj, x + x);
}";

/// A loop with a `break`, at which the ends of the blocks around it are recorded.
pub const BREAK: &str = "
fn f(x) -> r {
  var x: f64; var r: f64; var s: f64; var e: f64; var n: usize temp; var trips: usize temp;
  var w: bool temp; var x_adj: f64 adjoint of x; var r_adj: f64 adjoint of r;
  var s_adj: f64 adjoint of s; var e_adj: f64 adjoint of e;
} {
  #0 let s = x;
  #1 loop {
    #2 let e = s * x;
    #3 if e < 0.1f64 {
      #4 s = s * e;
      #5 break;
    } else {
      #6 s = sin(s);
    }
  }
  #7 r = s;
}
records {
  r0: value f64 on stack of #4; r1: value f64 on stack of #6; r2: flag on stack of #3;
  r3: value f64 on stack of #2; r4: count on stack of #1;
}
adjoints { x: x_adj; r: r_adj; s: s_adj; e: e_adj; }
restores; interface x; calls { }
forward {
  #0 let s = x;
  #1 let n = 0usize;
  #1 loop {
    #1 n = n + 1usize;
    #2 let e = s * x;
    #3 if e < 0.1f64 {
      #4 record r0 s;
      #4 s = s * e;
      #3 record r2 way true;
      #2 record r3 e;
      #5 break;
    } else {
      #6 record r1 s;
      #6 s = sin(s);
      #3 record r2 way false;
    }
    #2 record r3 e;
  }
  #1 record r4 way n;
  #7 r = s;
}
reverse {
  #0 let s;
  #0 let s_adj = 0.0f64;
  #7 s_adj += r_adj;
  #7 zero r_adj;
  #1 let trips = way r4;
  #1 times trips {
    #2 let e;
    #2 restore r3 e;
    #2 let e_adj = 0.0f64;
    #3 let w = way r2;
    #3 if w {
      #4 restore r0 s;
      #4 e_adj += scale(s_adj, s);
      #4 s_adj = scale(s_adj, e);
    } else {
      #6 restore r1 s;
      #6 s_adj = scale(s_adj, partial::sin(s));
    }
    #2 s_adj += scale(e_adj, x);
    #2 x_adj += scale(e_adj, s);
  }
  #0 x_adj += s_adj;
}";

/// A counted loop that may end early; its index comes back from the number of iterations.
pub const EARLY: &str = "
fn f(x, n) -> r {
  var x: &[f64]; var n: usize; var r: f64; var s: f64; var i: usize;
  var n_1: usize temp; var trips: usize temp;
  var x_adj: &mut [f64] adjoint of x; var r_adj: f64 adjoint of r; var s_adj: f64 adjoint of s;
} {
  #0 let s = 1.0f64;
  #1 for i in 0usize..n {
    #2 s = s * x[i];
    #3 if s < 0.0f64 {
      #4 break;
    }
  }
  #5 r = s;
}
records { r0: value f64 on stack of #2; r1: count on stack of #1; }
adjoints { x: x_adj; r: r_adj; s: s_adj; }
restores; interface x; calls { }
forward {
  #0 let s = 1.0f64;
  #1 let n_1 = 0usize;
  #1 for i in 0usize..n {
    #1 n_1 = n_1 + 1usize;
    #2 record r0 s;
    #2 s = s * x[i];
    #3 if s < 0.0f64 {
      #4 break;
    }
  }
  #1 record r1 way n_1;
  #5 r = s;
}
reverse {
  #0 let s;
  #0 let s_adj = 0.0f64;
  #5 s_adj += r_adj;
  #5 zero r_adj;
  #1 let trips = way r1;
  #1 for i in rev 0usize..n times trips {
    #2 restore r0 s;
    #2 x_adj[i] += scale(s_adj, s);
    #2 s_adj = scale(s_adj, x[i]);
  }
}";

/// A call between two overwrites, an exchange, and a local array.
pub const CALL: &str = "
fn f(x, y, k) -> r {
  var x: &[f64]; var y: &mut [f64]; var k: usize; var r: f64; var s: f64; var i: usize;
  var u: f64 temp;
  var x_adj: &mut [f64] adjoint of x; var y_adj: &mut [f64] adjoint of y;
  var r_adj: f64 adjoint of r; var s_adj: f64 adjoint of s;
} {
  #0 let i = k + 1usize;
  #1 swap y[i], y[0usize];
  #2 let s = call g(&x, &mut y[..i], y[i] * 2.0f64);
  #3 i = 0usize;
  #4 r = s * y[i];
}
records { r0: value usize on stack of #3; r1: value f64 on stack of #2; r2: value usize on stack of #0; }
adjoints { x: x_adj; y: y_adj; r: r_adj; s: s_adj; }
restores y; interface x, y; calls { #2 varied 1 useful 0, 1 restore always; }
forward {
  #0 let i = k + 1usize;
  #1 swap y[i], y[0usize];
  #2 let s = forward g(&x, &mut y[..i], y[i] * 2.0f64);
  #3 record r0 i;
  #3 i = 0usize;
  #4 r = s * y[i];
  #0 record r2 i;
  #2 record r1 s;
}
reverse {
  #2 let s;
  #2 restore r1 s;
  #0 let i;
  #0 restore r2 i;
  #2 let s_adj = 0.0f64;
  #4 s_adj += scale(r_adj, y[i]);
  #4 y_adj[i] += scale(r_adj, s);
  #4 zero r_adj;
  #3 restore r0 i;
  #2 reverse g(&x: &mut x_adj, &mut y[..i]: &mut y_adj[..i], y[i] * 2.0f64: let u) seed s_adj;
  #2 y_adj[i] += scale(u, 2.0f64);
  #1 swap y[i], y[0usize];
  #1 swap y_adj[i], y_adj[0usize];
}";

/// An element is put in, another one taken out and used.
pub const RESIZE: &str = "
fn f(x, y) {
  var x: &[f64]; var y: &mut Vec<f64>; var t: f64;
  var d: f64 temp; var e: f64 temp;
  var x_adj: &mut [f64] adjoint of x; var y_adj: &mut Vec<f64> adjoint of y; var t_adj: f64 adjoint of t;
} {
  #0 push y, x[0usize] * y[0usize];
  #1 let t = remove y, 0usize;
  #2 y[0usize] = t * t;
}
records { r0: value f64 on stack of #2; r1: value f64 on stack of #1; }
adjoints { x: x_adj; y: y_adj; t: t_adj; }
restores y; interface x, y; calls { }
forward {
  #0 push y, x[0usize] * y[0usize];
  #1 let t = remove y, 0usize;
  #2 record r0 y[0usize];
  #2 y[0usize] = t * t;
  #1 record r1 t;
}
reverse {
  #1 let t;
  #1 restore r1 t;
  #1 let t_adj;
  #2 let d = y_adj[0usize];
  #2 zero y_adj[0usize];
  #2 t_adj += scale(d, t);
  #2 t_adj += scale(d, t);
  #2 restore r0 y[0usize];
  #1 insert y_adj, 0usize, t_adj;
  #1 insert y, 0usize, t;
  #0 pop y;
  #0 let e = pop y_adj;
  #0 x_adj[0usize] += scale(e, y[0usize]);
  #0 y_adj[0usize] += scale(e, x[0usize]);
}";

/// A loop sets all of a local array, which comes back element by element.
pub const REFILLED: &str = "
fn f(x) -> r {
  var x: &[f64]; var r: f64; var a: [f64; 3]; var i: usize;
  var x_adj: &mut [f64] adjoint of x; var r_adj: f64 adjoint of r; var a_adj: [f64; 3] adjoint of a;
} {
  #0 let a = [x[0usize]; 3usize]:{[f64; 3]};
  #1 r = a[0usize] * a[1usize];
  #2 for i in 0usize..3usize {
    #3 a[i] = 1.0f64;
  }
}
records { r0: value f64 in frame #2 slot 0 of #3; }
adjoints { x: x_adj; r: r_adj; a: a_adj; }
restores; interface x; calls { }
forward {
  #0 let a = [x[0usize]; 3usize]:{[f64; 3]};
  #1 r = a[0usize] * a[1usize];
  #2 for i in 0usize..3usize {
    #3 record r0 a[i];
    #3 a[i] = 1.0f64;
  }
}
reverse {
  #0 let a = [0.0f64; 3usize]:{[f64; 3]};
  #0 let a_adj;
  #2 for i in rev 0usize..3usize {
    #3 zero a_adj[i];
    #3 restore r0 a[i];
  }
  #1 a_adj[0usize] += scale(r_adj, a[1usize]);
  #1 a_adj[1usize] += scale(r_adj, a[0usize]);
  #1 zero r_adj;
  #0 x_adj[0usize] += a_adj[0usize];
  #0 x_adj[0usize] += a_adj[1usize];
  #0 x_adj[0usize] += a_adj[2usize];
}";
