//! Functions whose plans the checker takes, whatever the planner analyses.

/// The length of a view of `v` is needed in front of a branch whose arms change elements.
pub const VIEWED: &str = "
fn f(x) -> ret {
  var x: f64;
  var ret: f64;
  var v: Vec<f64>;
}
{
  #0 ret = 0.0f64;
  #1 let v = [x; 3usize]:{Vec<f64>};
  #2 ret += v[1usize..][len(v[1usize..]) - 1usize];
  #3 if x > 0.0f64 {
    #4 v[1usize] += 1.0f64;
  } else {
    #5 v[0usize] = v[v[0usize] as usize];
  }
}
";

/// The same in each iteration of a loop.
pub const VIEWED_IN_A_LOOP: &str = "
fn f(x, n) -> ret {
  var x: f64;
  var n: usize;
  var ret: f64;
  var v: Vec<f64>;
  var i: usize index;
}
{
  #0 ret = 0.0f64;
  #1 let v = [x; 3usize]:{Vec<f64>};
  #2 for i in 0usize..n {
    #3 ret += v[1usize..][len(v[1usize..]) - 1usize];
    #4 if x > 0.0f64 {
      #5 v[1usize] += 1.0f64;
    } else {
      #6 v[0usize] = v[v[0usize] as usize];
    }
  }
}
";

/// A loop whose `break` is never reached.
pub const ENDLESS: &str = "
fn f(x, n) -> ret {
  var x: &[f64];
  var n: usize;
  var ret: f64;
  var i: usize index;
}
{
  #0 ret = 0.0f64;
  #1 for i in 0usize..n {
    #2 loop {
    }
    #3 ret += x[i] * x[0usize];
    #4 break;
  }
}
";

/// A flag that is set on a way that never ends.
pub const ENDLESS_IN_AN_ARM: &str = "
fn f(x, n) -> ret {
  var x: f64;
  var n: usize;
  var ret: f64;
  var i: usize index;
  var left: u8;
}
{
  #0 let left = 0u8;
  #1 for i in 0usize..n {
    #2 if x > 3.0f64 {
      #3 left = 1u8;
      #4 loop {
      }
    }
    #5 if left == 1u8 {
      #6 ret = x * x;
    } else {
      #7 ret = x * 2.0f64;
    }
  }
  #8 ret = x;
}
";

/// Code that overflows if it runs, in the place of `never_run`.
pub const OVERFLOWING: &str = "
fn f(x, n) -> ret {
  var x: &[f64];
  var n: usize;
  var ret: f64;
  var v: usize;
  var i: usize index;
}
{
  #0 ret = 0.0f64;
  #1 let v = n;
  #2 if n > 9usize {
    never_run
    #4 ret += x[v % 3usize] * x[0usize];
  }
  #5 v = v + 1usize;
  #6 ret += x[v % 2usize] * x[0usize];
}
";

/// What overflows.
pub const OVERFLOWS: [&str; 7] = [
    "#3 v = 18446744073709551615usize * 3usize;",
    "#3 for i in 0usize..18446744073709551615usize * 3usize { #7 v = v + 1usize; #8 ret += x[v % 3usize] * x[0usize]; }",
    "#3 while v < 18446744073709551615usize * 3usize { #7 v = v + 3usize; #8 ret += x[v % 3usize] * x[0usize]; }",
    "#3 while v != 18446744073709551615usize * 3usize { #7 v = v + 1usize; #8 ret += x[v % 3usize] * x[0usize]; }",
    "#3 for i in 0usize..n { #7 v = v + 18446744073709551615usize * 3usize; #8 ret += x[v % 3usize] * x[0usize]; }",
    "#3 if n == 18446744073709551615usize * 3usize { #7 v = v + n; #8 ret += x[v % 3usize] * x[0usize]; }",
    "#3 v = v ^ 18446744073709551615usize * 3usize;",
];
