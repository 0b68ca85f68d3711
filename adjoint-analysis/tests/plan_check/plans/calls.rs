//! Functions that call others whose bodies are not seen, by what is special about the calls.

/// Each output hangs on no argument, as far as the caller can hope.
const CALLEE: &str = "
fn g(k, y, z) -> ret {
  var k: f64; var y: &mut [f64]; var z: &mut [f64]; var ret: [f64; 2];
} {
  #0 ret = [1.0f64, 1.0f64]:{[f64; 2]};
}";

const CALLEE_OF_ONE: &str = "
fn g(n, y) {
  var n: usize; var y: &mut f64;
} {
}";

/// The adjoint of `r` may serve as work space, and is then lent as the seed of what `r` came from.
const WORK_SPACE: &str = "
fn f(x) -> ret {
  var x: [f64; 3]; var ret: f64; var a: [f64; 2]; var b: [f64; 2]; var r: [f64; 2];
  var s: [f64; 2]; var t: f64; var q: [f64; 2];
} {
  #0 let a = [x[1usize], 0.5f64]:{[f64; 2]};
  #1 let b = [0.5f64; 2usize]:{[f64; 2]};
  #2 let r = call g(0.5f64, &mut a, &mut b);
  #3 if x[1usize] > 7.0f64 {
    #4 let s = call g(0.5f64, &mut r.head(1usize), &mut r.tail(1usize));
  } else {
    #5 let t = r[1usize];
    #6 a[1usize] += t;
  }
  #7 let q = call g(x[2usize], &mut b, &mut r);
  #8 ret = a[0usize] + q[1usize];
}";

/// What is lent last feeds nothing: its adjoint is as it was before.
const FEEDS_NOTHING: &str = "
fn f(x, y) {
  var x: &[f64]; var y: &mut [f64]; var a: [f64; 3]; var r: [f64; 2];
} {
  #0 let a = [0.5f64, 0.5f64, x[0usize]]:{[f64; 3]};
  #1 y[0usize] += a[1usize];
  #2 let r = call g(0.5f64, &mut a.head(1usize), &mut a.tail(1usize));
  #3 if x[0usize] > 7.0f64 {
    #4 call f(&a.head(2usize), &mut y[..]);
  }
}";

/// A value is lent to a callee that adds nothing to its adjoint.
const ADDS_NOTHING: &str = "
fn f(y, x, n) {
  var y: &mut [f64]; var x: f64; var n: usize; var t: f64;
} {
  #0 let t = x;
  #1 y[0usize] += t;
  #2 if x > 7.0f64 {
    #3 call g(1usize, &mut t);
    #4 call f(&mut y, t, 0usize);
  }
}";

/// What comes back in two halves is lent as an open range.
const HALVES: &str = "
fn f(y, x) -> ret {
  var y: &mut [f64]; var x: [f64; 3]; var ret: f64; var a: [f64; 5]; var r: [f64; 2]; var q: [f64; 2];
  var s: [f64; 2];
} {
  #0 ret = 1.0f64;
  #1 let a = [1.0f64, 1.0f64, 1.0f64, 1.0f64, 1.0f64]:{[f64; 5]};
  #2 let r = call g(0.5f64, &mut a.head(1usize), &mut a.tail(1usize));
  #3 let q = call g(0.5f64, &mut y, &mut a[1usize..]);
  #4 let s = call g(0.5f64, &mut a.head(1usize), &mut a.tail(1usize));
}";

const CALLEE_OF_PAIR: &str = "
fn g(y) -> ret {
  var y: &mut f64; var ret: (f64, f64);
} {
  #0 ret = [1.0f64, 1.0f64]:{(f64, f64)};
}";

/// After the exchange, `ret` has the adjoint of what depends on nothing: none, where `g` is next.
const EXCHANGED: &str = "
fn f(x, y) -> ret {
  var x: &f64; var y: f64; var ret: f64; var r: (f64, f64); var s: f64;
} {
  #0 ret = y;
  #1 if y > 7.0f64 {
    #2 let r = call g(&mut ret);
    #3 let s = call f(&ret, r.1);
    #4 swap ret, s;
  }
}";

/// The same with elements of one array, all of whose adjoint is zero.
const EXCHANGED_ELEMENTS: &str = "
fn f(y) {
  var y: &mut f64; var a: [f64; 5]; var b: [f64; 2]; var i: usize; var r: [f64; 2]; var s: [f64; 2];
} {
  #0 let a = [1.0f64; 5usize]:{[f64; 5]};
  #1 let b = [y; 2usize]:{[f64; 2]};
  #2 for i in 0usize..2usize {
    #3 let r = call g(y, &mut a, &mut b);
    #4 swap a[0usize], a[1usize];
  }
  #5 let s = call g(y, &mut a, &mut b);
  #6 y = s[0usize];
}";

const CALLEE_OF_HALVES: &str = "
fn g(y, z) -> ret {
  var y: &mut [f64]; var z: &mut [f64]; var ret: f64;
} {
  #0 ret = y[0usize] * z[0usize];
}";

/// Elements of the first half are overwritten between two calls.
const HALVES_OVERWRITTEN: &str = "
fn f(y) -> ret {
  var y: &mut [f64]; var ret: f64; var r: f64; var s: f64;
} {
  #0 let r = call g(&mut y.head(2usize), &mut y.tail(2usize));
  #1 y[1usize..2usize] = y[2usize..3usize];
  #2 let s = call g(&mut y.head(2usize), &mut y.tail(2usize));
  #3 ret = r * s;
}";

const CALLEE_OF_ELEMENT: &str = "
fn g(y, x) -> ret {
  var y: &mut f64; var x: Vec<f64>; var ret: [f64; 2];
} {
  #0 ret = [1.0f64; 2usize]:{[f64; 2]};
}";

/// An element of each iteration's own is lent, and not brought back for those after it.
const OWN_ELEMENTS: &str = "
fn f(x) -> ret {
  var x: &[f64]; var ret: f64; var t: f64; var a: [f64; 2]; var i: usize; var r: [f64; 2];
} {
  #0 let t = 1.0f64;
  #1 let a = call g(&mut t, [1.0f64; 3usize]:{Vec<f64>});
  #2 for i in 0usize..len(a) {
    #3 a[i] = x[1usize];
    #4 let r = call g(&mut a[i], [1.0f64; 3usize]:{Vec<f64>});
  }
  #5 ret = a[1usize];
}";

/// The functions, each with the one that it calls.
pub const CALLERS: [[&str; 2]; 8] = [
    [CALLEE, WORK_SPACE],
    [CALLEE, FEEDS_NOTHING],
    [CALLEE_OF_ONE, ADDS_NOTHING],
    [CALLEE, HALVES],
    [CALLEE_OF_PAIR, EXCHANGED],
    [CALLEE, EXCHANGED_ELEMENTS],
    [CALLEE_OF_HALVES, HALVES_OVERWRITTEN],
    [CALLEE_OF_ELEMENT, OWN_ELEMENTS],
];
