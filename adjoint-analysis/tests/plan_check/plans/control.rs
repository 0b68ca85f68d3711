//! Plans whose control flow is not recorded, or as little of it as can be.

/// Control that is not recorded: the trips of a loop that counts, and the branches of a loop with two
/// ways out, which one label tells.
pub const LABEL: &str = "
fn f(x, n) -> r {
  var x: f64; var n: usize; var r: f64; var s: f64; var i: usize; var left: u8 label;
  var count: usize temp; var trips: usize temp; var laps: usize temp;
  var x_adj: f64 adjoint of x; var r_adj: f64 adjoint of r; var s_adj: f64 adjoint of s;
} {
  #0 let s = x;
  #1 let i = 0usize;
  #2 while i < n {
    #3 s = 2.0f64 * s;
    #4 i = i + 1usize;
  }
  #5 let left = 2u8;
  #7 loop {
    #8 if x > 1.0f64 {
      #9 left = 0u8;
      #10 s = 3.0f64 * s;
      #11 break;
    } else {
      #12 s = 4.0f64 * s;
      #13 if x > 0.5f64 {
        #14 left = 1u8;
        #15 s = 5.0f64 * s;
        #16 break;
      }
    }
  }
  #17 r = s;
}
records { r0: count on stack of #7; r1: label 2 on stack of #5; }
adjoints { x: x_adj; r: r_adj; s: s_adj; }
restores; interface x; calls { }
forward {
  #0 let s = x;
  #1 let i = 0usize;
  #2 while i < n {
    #3 s = 2.0f64 * s;
    #4 i = i + 1usize;
  }
  #5 let left = 2u8;
  #7 let count = 0usize;
  #7 loop {
    #7 count = count + 1usize;
    #8 if x > 1.0f64 {
      #9 left = 0u8;
      #10 s = 3.0f64 * s;
      #11 break;
    } else {
      #12 s = 4.0f64 * s;
      #13 if x > 0.5f64 {
        #14 left = 1u8;
        #15 s = 5.0f64 * s;
        #16 break;
      }
    }
  }
  #7 record r0 way count;
  #17 r = s;
  #5 record r1 left;
}
reverse {
  #5 let left;
  #5 restore r1 left;
  #0 let s_adj = 0.0f64;
  #17 s_adj += r_adj;
  #17 zero r_adj;
  #7 let trips = way r0;
  #7 times trips {
    #8 if left == 0u8 {
      #10 s_adj = s_adj * 3.0f64;
      #9 left = 2u8;
    } else {
      #13 if left == 1u8 {
        #15 s_adj = s_adj * 5.0f64;
        #14 left = 2u8;
      }
      #12 s_adj = s_adj * 4.0f64;
    }
  }
  #2 let laps = pure::__trips_up(0usize, n, false, 1usize):{usize};
  #2 times laps {
    #3 s_adj = s_adj * 2.0f64;
  }
  #0 x_adj += s_adj;
}";

/// A loop that ends when a counter says so: neither its trips nor its only way out is recorded.
pub const UNTIL: &str = "
fn f(x, n) -> r {
  var x: f64; var n: usize; var r: f64; var s: f64; var i: usize; var left: bool label;
  var laps: usize temp;
  var x_adj: f64 adjoint of x; var r_adj: f64 adjoint of r; var s_adj: f64 adjoint of s;
} {
  #0 let s = x;
  #1 let i = 0usize;
  #2 let left = false;
  #3 loop {
    #4 if i >= n {
      #5 left = true;
      #6 break;
    } else {
      #7 s = 2.0f64 * s;
      #8 i = i + 2usize;
    }
  }
  #9 r = s;
}
records { }
adjoints { x: x_adj; r: r_adj; s: s_adj; }
restores; interface x; calls { }
forward {
  #0 let s = x;
  #1 let i = 0usize;
  #2 let left = false;
  #3 loop {
    #4 if i >= n {
      #5 left = true;
      #6 break;
    } else {
      #7 s = 2.0f64 * s;
      #8 i = i + 2usize;
    }
  }
  #9 r = s;
}
reverse {
  #2 let left = true;
  #0 let s_adj = 0.0f64;
  #9 s_adj += r_adj;
  #9 zero r_adj;
  #3 let laps = pure::__trips_up(0usize, n, false, 2usize):{usize} + 1usize;
  #3 times laps {
    #4 if left {
      #5 left = false;
    } else {
      #7 s_adj = s_adj * 2.0f64;
    }
  }
  #0 x_adj += s_adj;
}";

/// A loop that is left by the second of two tests of one flag never, and by the first at once.
pub const TESTED_TWICE: &str = "
fn f(x, y, n) {
  var x: &[f64]; var y: &mut [f64]; var n: usize; var flag: bool; var i: usize;
} {
  #1 let flag = n <= 0usize;
  #2 if 1.0f64 < 1.0f64 {
  } else {
    #3 flag = true;
  }
  #4 for i in 0usize..n rev {
    #5 if flag {
      #6 break;
    } else {
      #7 if flag {
        #8 break;
      } else {
        #9 y[0usize..3usize] = x[0usize..3usize];
      }
    }
  }
}";

/// A loop that is never run, whose flag of the exit can't be what the way there says.
pub const NEVER_RUN: &str = "
fn f(x) -> r {
  var x: f64; var r: f64; var s: f64; var i: usize; var exit: bool; var c: usize;
} {
  #1 let s = x;
  #2 if false {
    #3 while false {
      #4 let exit = false;
      #5 let c = 0usize;
      #6 for i in 0usize..3usize rev {
        #7 s = s * x;
        #8 c = c;
        #9 exit = true;
        #10 break;
      }
      #11 if exit {
        #12 break;
      }
    }
  }
  #13 r = s;
}";

/// Two loops, of which the inner one's `break` leaves both: a number for each says in which iteration, and
/// what the iterations that go on leave as it was stands outside of them.
pub const LEFT: &str = "
fn f(x, n) -> r {
  var x: &[f64]; var n: usize; var r: f64; var s: f64; var i: usize; var j: usize;
  var exit: bool label; var inner: usize label; var outer: usize label;
  var trips: usize temp; var laps: usize temp;
  var x_adj: &mut [f64] adjoint of x; var r_adj: f64 adjoint of r; var s_adj: f64 adjoint of s;
} {
  #0 let s = 1.0f64;
  #1 let exit = false;
  #2 let inner = 0usize;
  #3 let outer = 0usize;
  #4 for i in 0usize..n {
    #5 for j in 0usize..3usize {
      #6 s = s * x[j];
      #7 if s < 0.5f64 {
        #8 exit = true;
        #9 inner = j + 1usize;
        #10 break;
      }
    }
    #11 if exit {
      #12 outer = i + 1usize;
      #13 break;
    } else {
      #14 s = s * 2.0f64;
    }
  }
  #15 if exit {
    #16 s = s * 4.0f64;
  }
  #17 r = s;
}
records { r0: value f64 on stack of #6; r1: count on stack of #3; r2: count on stack of #2; }
adjoints { x: x_adj; r: r_adj; s: s_adj; }
restores; interface x; calls { }
forward {
  #0 let s = 1.0f64;
  #1 let exit = false;
  #2 let inner = 0usize;
  #3 let outer = 0usize;
  #4 for i in 0usize..n {
    #5 for j in 0usize..3usize {
      #6 record r0 s;
      #6 s = s * x[j];
      #7 if s < 0.5f64 {
        #8 exit = true;
        #9 inner = j + 1usize;
        #10 break;
      }
    }
    #11 if exit {
      #12 outer = i + 1usize;
      #13 break;
    } else {
      #14 s = s * 2.0f64;
    }
  }
  #15 if exit {
    #16 s = s * 4.0f64;
  }
  #17 r = s;
  #3 record r1 outer;
  #2 record r2 inner;
}
reverse {
  #2 let inner;
  #2 restore r2 inner;
  #3 let outer;
  #3 restore r1 outer;
  #0 let s;
  #0 let s_adj = 0.0f64;
  #17 s_adj += r_adj;
  #17 zero r_adj;
  #15 if outer != 0usize {
    #16 s_adj = s_adj * 4.0f64;
  }
  #4 let trips = pure::__ran(outer, n):{usize};
  #4 for i in rev 0usize..n times trips {
    #11 if outer != 0usize {
      #12 outer = 0usize;
    } else {
      #14 s_adj = s_adj * 2.0f64;
    }
    #5 let laps = pure::__ran(inner, 3usize):{usize};
    #5 for j in rev 0usize..3usize times laps {
      #7 if inner != 0usize {
        #9 inner = 0usize;
      }
      #6 restore r0 s;
      #6 x_adj[j] += scale(s_adj, s);
      #6 s_adj = scale(s_adj, x[j]);
    }
  }
}";
