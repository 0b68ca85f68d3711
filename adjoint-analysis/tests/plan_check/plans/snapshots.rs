//! The plan of a checkpointed loop.

/// A loop of three statements: `y` and `k` are in its snapshots, and a caller gets `y` back.
pub const CHECKPOINTED: &str = "
fn f(y, n) {
  var y: &mut [f64]; var n: usize; var k: f64; var t: usize; var sin: f64 temp;
  var y_adj: &mut [f64] adjoint of y; var sin_adj: f64 adjoint of sin;
  var `seed`: f64 temp; var trips: usize temp; var count: usize temp;
} {
  #0 let k = 1.0f64;
  #1 for t in 0usize..n {
    #2 let sin = sin(y[1usize]);
    #3 y[0usize] = sin * k + y[0usize];
    #4 k = k * 0.5f64;
  } checkpoint 2usize
}
records {
  r0: value f64 on stack of #4; r1: value f64 on stack of #3; r2: value [f64] on stack of #1;
  r3: value f64 on stack of #1; r4: count on stack of #1; r5: value [f64] on stack of #1;
  r6: value f64 on stack of #2;
}
adjoints { y: y_adj; sin: sin_adj; }
restores y; interface y; calls { }
forward {
  #0 let k = 1.0f64;
  #1 record r5 y;
  #1 let count = 0usize;
  #1 for t in 0usize..n {
    #1 count = count + 1usize;
    #1 take {
      #1 record r2 y;
      #1 record r3 k;
    }
    #2 let sin = sin(y[1usize]);
    #3 y[0usize] = sin * k + y[0usize];
    #4 k = k * 0.5f64;
  } checkpoint 2usize
  #1 record r4 way count;
}
reverse {
  #0 let k = 1.0f64;
  #1 let trips = way r4;
  #1 for t in rev 0usize..n times trips {
    #1 replay {
      #1 restore r3 k;
      #1 restore r2 y;
    } {
      #2 let sin = sin(y[1usize]);
      #3 record r1 y[0usize];
      #3 y[0usize] = sin * k + y[0usize];
      #4 record r0 k;
      #4 k = k * 0.5f64;
      #2 record r6 sin;
    }
    #2 let sin;
    #2 restore r6 sin;
    #2 let sin_adj = 0.0f64;
    #4 restore r0 k;
    #3 restore r1 y[0usize];
    #3 let `seed` = y_adj[0usize];
    #3 zero y_adj[0usize];
    #3 sin_adj += scale(`seed`, k);
    #3 y_adj[0usize] += `seed`;
    #2 y_adj[1usize] += scale(sin_adj, partial::sin(y[1usize]));
  } checkpoint 2usize
  #1 restore r5 y;
}
";
