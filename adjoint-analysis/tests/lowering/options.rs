//! `Option` and `Result`.

use expect_test::expect;

use crate::print::check;

#[test]
fn an_option_is_a_flag_and_a_value() {
    check(
        r#"
            fn f(x: f64) -> Option<f64> {
                if x > 0.0 { Some(x.ln()) } else { None }
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: Option<f64>;
              var value: f64 temp;
              var value_is: bool temp;
            }
            {
              #0 let value = 0.0f64;
              #1 let value_is = false;
              #5 if x > 0.0f64 {
                #2 value = ln(x);
                #3 value_is = true;
              } else {
                #4 value_is = false;
              }
              #8 if value_is {
                #6 ret = variant::Some(0: value):{Option<f64>};
              } else {
                #7 ret = variant::None():{Option<f64>};
              }
            }
        "#]],
    );
}

#[test]
fn option_match() {
    check(
        r#"
            fn f(x: Option<f64>) -> f64 {
                match x {
                    Some(v) => v * v,
                    None => 1.0,
                }
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: Option<f64>;
              var ret: f64;
              var v: f64;
              var value: f64 temp;
            }
            {
              #1 let value = 0.0f64;
              #4 if is(x, Some) {
                #0 let v = x@Some.0;
                #2 value = v * v;
              } else {
                #3 value = 1.0f64;
              }
              #5 ret = value;
            }
        "#]],
    );
}

#[test]
fn option_map_or() {
    check(
        r#"
            fn f(x: Option<f64>) -> f64 {
                x.map_or(0.0, |v| v * v)
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: Option<f64>;
              var ret: f64;
              var v: f64;
              var value: f64 temp;
            }
            {
              #1 let value = 0.0f64;
              #4 if is(x, Some) {
                #0 let v = x@Some.0;
                #2 value = v * v;
              } else {
                #3 value = 0.0f64;
              }
              #5 ret = value;
            }
        "#]],
    );
}

#[test]
fn option_zip() {
    check(
        r#"
            fn f(x: Option<f64>, y: Option<f64>) -> f64 {
                x.zip(y).map(|(a, b)| a * b).unwrap_or_default()
            }
        "#,
        expect![[r#"
            fn f(x, y) -> ret {
              var x: Option<f64>;
              var y: Option<f64>;
              var ret: f64;
              var t: Option<f64> temp;
              var test: bool temp;
              var a: f64;
              var b: f64;
              var value: f64 temp;
              var value_is: bool temp;
              var t_is_some: bool;
              var t_2: f64;
              var value_2: f64 temp;
            }
            {
              #0 let t = y;
              #1 let test = is(x, Some) && is(t, Some);
              #4 let value = 0.0f64;
              #5 let value_is = false;
              #9 if test {
                #2 let a = x@Some.0;
                #3 let b = t@Some.0;
                #6 value = a * b;
                #7 value_is = true;
              } else {
                #8 value_is = false;
              }
              #10 let t_is_some = value_is;
              #11 let t_2 = value;
              #12 let value_2 = 0.0f64;
              #15 if t_is_some {
                #13 value_2 = t_2;
              } else {
                #14 value_2 = 0.0f64;
              }
              #16 ret = value_2;
            }
        "#]],
    );
}

#[test]
fn option_and_then_filter() {
    check(
        r#"
            fn f(x: Option<f64>) -> Option<f64> {
                x.and_then(|v| (v > 0.0).then(|| v.ln()))
                    .filter(|v| *v < 3.0)
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: Option<f64>;
              var ret: Option<f64>;
              var v: f64;
              var value: f64 temp;
              var value_is: bool temp;
              var value_2: f64 temp;
              var value_is_2: bool temp;
              var item_is_some: bool;
              var item: f64;
              var kept: bool;
              var v_2: f64;
              var test: bool temp;
            }
            {
              #7 let value_2 = 0.0f64;
              #8 let value_is_2 = false;
              #12 if is(x, Some) {
                #0 let v = x@Some.0;
                #1 let value = 0.0f64;
                #2 let value_is = false;
                #6 if v > 0.0f64 {
                  #3 value = ln(v);
                  #4 value_is = true;
                } else {
                  #5 value_is = false;
                }
                #9 value_2 = value;
                #10 value_is_2 = value_is;
              } else {
                #11 value_is_2 = false;
              }
              #13 let item_is_some = value_is_2;
              #14 let item = value_2;
              #15 let kept = false;
              #18 if item_is_some {
                #16 let v_2 = item;
                #17 kept = v_2 < 3.0f64;
              }
              #19 let test = kept;
              #22 if test {
                #20 ret = variant::Some(0: item):{Option<f64>};
              } else {
                #21 ret = variant::None():{Option<f64>};
              }
            }
        "#]],
    );
}

#[test]
fn option_take_and_replace() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                let mut a = Some(x);
                let b = a.take();
                a.replace(2.0 * x);
                a.unwrap() * b.unwrap()
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
              var a_is_some: bool;
              var a: f64;
              var taken_is_some: bool;
              var taken: f64;
              var b_is_some: bool;
              var b: f64;
              var t: f64 temp;
              var taken_is_some_2: bool;
              var taken_2: f64;
              var t_2: f64 temp;
            }
            {
              #0 let a_is_some = true;
              #1 let a = x;
              #2 let taken_is_some = a_is_some;
              #3 let taken = a;
              #4 a_is_some = false;
              #5 let b_is_some = taken_is_some;
              #6 let b = taken;
              #7 let t = 2.0f64 * x;
              #8 let taken_is_some_2 = a_is_some;
              #9 let taken_2 = a;
              #10 a = t;
              #11 a_is_some = true;
              #13 if !a_is_some {
                #12 passive $0();
              }
              #16 let t_2 = a;
              #15 if !b_is_some {
                #14 passive $1();
              }
              #17 ret = t_2 * b;
            }
            // $0 []: { :: core :: option :: Option :: < () > :: None . unwrap () ; }
            // $1 []: { :: core :: option :: Option :: < () > :: None . unwrap () ; }
        "#]],
    );
}

#[test]
fn option_get_or_insert_with() {
    check(
        r#"
            fn f(x: f64) -> f64 {
                let mut a = None;
                let v = a.get_or_insert_with(|| x * x);
                *v *= 2.0;
                a.unwrap()
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: f64;
              var a_is_some: bool;
              var a: f64;
            }
            {
              #0 let a_is_some = false;
              #1 let a = 0.0f64;
              #4 if !a_is_some {
                #2 a = x * x;
                #3 a_is_some = true;
              }
              #5 a = a * 2.0f64;
              #7 if !a_is_some {
                #6 passive $0();
              }
              #8 ret = a;
            }
            // $0 []: { :: core :: option :: Option :: < () > :: None . unwrap () ; }
        "#]],
    );
}

#[test]
fn option_as_mut() {
    check(
        r#"
            fn f(x: &mut Option<f64>) {
                if let Some(v) = x.as_mut() {
                    *v *= *v;
                }
            }
        "#,
        expect![[r#"
            fn f(x) {
              var x: &mut Option<f64>;
              var on_is_some: bool;
            }
            {
              #0 let on_is_some = is(x, Some);
              #2 if on_is_some {
                #1 x@Some.0 = x@Some.0 * x@Some.0;
              }
            }
        "#]],
    );
}

#[test]
fn question_mark_of_an_option() {
    check(
        r#"
            fn f(x: &[f64]) -> Option<f64> {
                let a = x.first()?;
                let b = x.get(1)?;
                Some(a * b)
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: &[f64];
              var ret: Option<f64>;
            }
            {
              #1 if 0usize < len(x) {
                #2 passive $0(x[0usize]);
                #4 if 1usize < len(x) {
                  #5 passive $1(x[1usize]);
                  #6 ret = variant::Some(0: x[0usize] * x[1usize]):{Option<f64>};
                } else {
                  #3 ret = variant::None():{Option<f64>};
                }
              } else {
                #0 ret = variant::None():{Option<f64>};
              }
            }
            // $0 [Borrow]: let _ = __place_0
            // $1 [Borrow]: let _ = __place_0
        "#]],
    );
}

#[test]
fn result_and_question_mark() {
    check(
        r#"
            fn f(x: f64) -> Result<f64, String> {
                let y = if x < 0.0 {
                    Err("negative".to_string())?
                } else {
                    x.sqrt()
                };
                Ok(y * x)
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: f64;
              var ret: Result<f64, discrete "String">;
              var value: f64 temp;
              var y: f64;
            }
            {
              #1 let value = 0.0f64;
              #3 if x < 0.0f64 {
                #0 ret = variant::Err(0: pure::to_string($0():{discrete "&str"}):{discrete "::std::string::String"}):{Result<f64, discrete "::std::string::String">};
              } else {
                #2 value = sqrt(x);
                #4 let y = value;
                #5 ret = variant::Ok(0: y * x):{Result<f64, discrete "String">};
              }
            }
            // $0 []: "negative"
        "#]],
    );
}

#[test]
fn result_map_err_and_unwrap_or_else() {
    check(
        r#"
            fn f(x: Result<f64, u8>) -> f64 {
                x.map(|v| v * v)
                    .map_err(|e| e + 1)
                    .unwrap_or_else(|e| e as f64)
            }
        "#,
        expect![[r#"
            fn f(x) -> ret {
              var x: Result<f64, u8>;
              var ret: f64;
              var v: f64;
              var value: f64 temp;
              var value_2: u8 temp;
              var value_is: bool temp;
              var t_is_ok: bool;
              var t: f64;
              var t_err: u8;
              var e: u8;
              var value_3: f64 temp;
              var value_4: u8 temp;
              var value_is_2: bool temp;
              var t_is_ok_2: bool;
              var t_2: f64;
              var t_err_2: u8;
              var e_2: u8;
              var value_5: f64 temp;
            }
            {
              #1 let value = 0.0f64;
              #2 let value_2 = 0u8;
              #3 let value_is = false;
              #8 if is(x, Ok) {
                #0 let v = x@Ok.0;
                #4 value = v * v;
                #5 value_is = true;
              } else {
                #6 value_2 = x@Err.0;
                #7 value_is = false;
              }
              #9 let t_is_ok = value_is;
              #10 let t = value;
              #11 let t_err = value_2;
              #13 let value_3 = 0.0f64;
              #14 let value_4 = 0u8;
              #15 let value_is_2 = false;
              #20 if t_is_ok {
                #16 value_3 = t;
                #17 value_is_2 = true;
              } else {
                #12 let e = t_err;
                #18 value_4 = e + 1u8;
                #19 value_is_2 = false;
              }
              #21 let t_is_ok_2 = value_is_2;
              #22 let t_2 = value_3;
              #23 let t_err_2 = value_4;
              #25 let value_5 = 0.0f64;
              #28 if t_is_ok_2 {
                #26 value_5 = t_2;
              } else {
                #24 let e_2 = t_err_2;
                #27 value_5 = e_2 as f64;
              }
              #29 ret = value_5;
            }
        "#]],
    );
}
