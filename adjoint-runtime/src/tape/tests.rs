use super::*;
use crate::SweepError;

#[test]
fn each_type_has_its_stack() {
    let mut tape = Tape::new();
    tape.begin();
    tape.push_real(1.5f64);
    tape.push_int(7usize);
    tape.push_real(2.5f32);
    tape.push_int(-3i8);
    tape.push_int('x');
    tape.push_real(3.5f64);
    tape.push_int("a label");
    assert_eq!(tape.pop_int::<usize>(), 7);
    assert_eq!(tape.pop_real::<f64>(), 3.5);
    assert_eq!(tape.pop_real::<f64>(), 1.5);
    assert_eq!(tape.pop_int::<i8>(), -3);
    assert_eq!(tape.pop_int::<&str>(), "a label");
    assert_eq!(tape.pop_int::<char>(), 'x');
    assert_eq!(tape.pop_real::<f32>(), 2.5);
    tape.end();
}

#[test]
fn blocks_come_back_in_their_order() {
    let mut tape = Tape::new();
    tape.push_reals(&[1.0, 2.0, 3.0]);
    tape.push_real(4.0);
    tape.push_ints(&[5u8, 6]);
    let mut ints = [0u8; 2];
    tape.pop_ints(&mut ints);
    assert_eq!(ints, [5, 6]);
    assert_eq!(tape.pop_real::<f64>(), 4.0);
    let mut reals = [0.0; 3];
    tape.pop_reals(&mut reals);
    assert_eq!(reals, [1.0, 2.0, 3.0]);
    tape.end();
}

#[test]
fn owned_values_move_there_and_back() {
    let mut tape = Tape::new();
    tape.push_moved(vec![1.0, 2.0], 16);
    tape.push_moved(Box::new(3.0), 8);
    tape.push_moved(vec![4.0], 8);
    tape.turn();
    assert_eq!(tape.stats().reals, pushed(3, 32));
    assert_eq!(tape.pop_moved::<Vec<f64>>(), [4.0]);
    assert_eq!(tape.pop_moved::<Vec<f64>>(), [1.0, 2.0]);
    assert_eq!(*tape.pop_moved::<Box<f64>>(), 3.0);
    tape.end();
}

#[test]
fn frames_are_addressed_by_iteration() {
    let mut tape = Tape::new();
    tape.push_real(9.0);
    let mut stack = tape.reals_stack::<f64>();
    let [frame] = open_slots(&mut stack, 3, [true]);
    frame.copy_from_slice(&[4.0, 5.0, 6.0]);
    tape.put_reals(stack);
    tape.turn();
    assert_eq!(tape.stats().reals, pushed(4, 32));

    let mut stack = tape.reals_stack::<f64>();
    assert_eq!(top_slots(&stack, 3, [true]), [&[4.0, 5.0, 6.0]]);
    close_slots(&mut stack, 3, [true]);
    tape.put_reals(stack);
    assert_eq!(tape.pop_real::<f64>(), 9.0);
    tape.end();
}

#[test]
fn stacks_are_used_side_by_side() {
    let mut tape = Tape::new();
    let parts = tape.parts();
    let [reals, none] = open_slots(parts.reals.of::<f64>(), 2, [true, false]);
    let [integers] = open_slots(parts.integers.of::<u8>(), 2, [true]);
    assert_eq!(none, [0.0; 0]);
    for k in 0..2u8 {
        (reals[k as usize], integers[k as usize]) = (k.into(), k + 5);
    }
    tape.turn();
    assert_eq!(tape.stats().reals, pushed(2, 16));
    assert_eq!(tape.stats().integers, pushed(2, 2));
    let parts = tape.parts();
    let [reals] = top_slots(parts.reals.of::<f64>(), 2, [true]);
    let [integers] = top_slots(parts.integers.of::<u8>(), 2, [true]);
    assert_eq!((reals, integers), (&[0.0, 1.0][..], &[5, 6][..]));
    close_slots(parts.reals.of::<f64>(), 2, [true, false]);
    close_slots(parts.integers.of::<u8>(), 2, [true]);
    tape.end();
}

#[test]
fn frames_open_over_what_was_popped() {
    let mut stack = Stack::default();
    stack.push(7u32);
    stack.open_frame(2).fill(1);
    stack.close_frame(2);
    stack.open_frame(3).copy_from_slice(&[4, 5, 6]);
    stack.push_each([8, 9]);
    assert_eq!(stack[..], [7, 4, 5, 6, 8, 9]);
    assert_eq!(stack.pop(), 9);
    stack.push_block(&[1, 2]);
    assert_eq!(stack[..], [7, 4, 5, 6, 8, 1, 2]);
    stack.clear();
    assert_eq!(stack[..], [0; 0]);
    stack.push(3);
    assert_eq!(stack[..], [3]);
}

#[test]
fn pushes_of_several_values_cross_the_end_of_the_memory() {
    let mut stack = Stack::default();
    for k in 0..500u64 {
        stack.push_each([3 * k, 3 * k + 1, 3 * k + 2]);
    }
    assert!(stack.iter().copied().eq(0..1500));
    assert!((0..1500).rev().all(|k| stack.pop() == k));
    assert!(stack.is_empty());
}

#[test]
fn statistics_are_those_of_the_turn() {
    let mut tape = Tape::new();
    tape.begin();
    tape.push_reals(&[1.0f64, 2.0]);
    tape.push_real(1.0f32);
    tape.push_int(1u16);
    tape.push_int(1usize);
    (0..9).for_each(|i| tape.push_flag(i % 2 == 0));
    tape.push_count(4);
    tape.turn();
    let expected = TapeStats {
        reals: pushed(3, 20),
        integers: pushed(2, 10),
        control: pushed(10, 2 + size_of::<usize>()),
        snapshots: pushed(0, 0),
        peak_bytes: 32 + size_of::<usize>(),
    };
    assert_eq!(tape.stats(), expected);

    tape.keep_reals(&[1.0, 2.0, 3.0]);
    tape.keep_ints(&[1u8]);
    let expected = TapeStats {
        peak_bytes: expected.peak_bytes + 25,
        ..expected
    };
    assert_eq!(tape.stats(), expected);
}

#[test]
fn kept_values_are_independent_of_the_sweep() {
    let mut tape = Tape::new();
    tape.push_real(1.0);
    tape.push_moved(vec![1.0], 8);
    tape.keep_reals(&[2.0, 3.0]);
    tape.keep_ints(&[4usize]);
    assert_eq!(tape.pop_real::<f64>(), 1.0);
    assert_eq!(tape.pop_moved::<Vec<f64>>(), [1.0]);
    tape.push_real(7.0);
    let (mut reals, mut ints) = ([0.0; 2], [0usize]);
    tape.give_back_reals(&mut reals);
    tape.give_back_ints(&mut ints);
    assert_eq!((reals, ints), ([2.0, 3.0], [4]));
    assert_eq!(tape.pop_real::<f64>(), 7.0);
    tape.end();
}

#[test]
fn a_sweep_that_panicked_leaves_no_trace() {
    let mut tape = Tape::new();
    tape.begin();
    tape.push_real(1.0);
    tape.push_int(1u64);
    tape.push_flag(true);
    tape.push_count(1);
    tape.push_moved(vec![1.0], 8);
    tape.keep_reals(&[1.0]);
    let out = tape.ints_stack::<usize>();
    drop(out);

    tape.begin();
    tape.turn();
    assert_eq!(tape.stats(), TapeStats::default());
    tape.end();
}

#[test]
fn an_adjoint_that_records_nothing_has_empty_statistics() {
    let mut tape = Tape::new();
    let record = |tape: &mut Tape| {
        tape.begin();
        tape.push_real(1.0);
        tape.push_int(1u8);
        tape.push_moved(vec![1.0], 8);
        tape.keep_reals(&[1.0, 2.0]);
        tape.turn();
        tape.give_back_reals(&mut [0.0; 2]);
        tape.pop_moved::<Vec<f64>>();
        tape.pop_int::<u8>();
        tape.pop_real::<f64>();
        tape.end();
        tape.stats()
    };
    let recorded = record(&mut tape);
    assert_eq!((recorded.reals, recorded.peak_bytes), (pushed(2, 16), 33));
    tape.record_nothing();
    assert_eq!(tape.stats(), TapeStats::default());
    assert_eq!(record(&mut tape), recorded);
    tape.begin();
    tape.turn();
    tape.end();
    assert_eq!(tape.stats(), TapeStats::default());
}

#[test]
fn what_a_panic_left_is_no_record_of_later_adjoints() {
    let mut tape = Tape::new();
    tape.begin();
    tape.push_reals(&[1.0, 2.0]);
    tape.push_flag(true);
    tape.push_number(-1);
    // An adjoint that records nothing does not look at the stacks.
    tape.record_nothing();
    assert_eq!(tape.stats(), TapeStats::default());
    tape.begin();
    tape.push_real(3.0);
    tape.turn();
    assert_eq!(tape.stats().reals, pushed(1, 8));
    assert_eq!(tape.stats().peak_bytes, 8);
    assert_eq!(tape.pop_real::<f64>(), 3.0);
    tape.end();
}

#[test]
fn an_adjoint_without_a_reverse_sweep_leaves_no_trace() {
    let mut tape = Tape::new();
    tape.begin();
    tape.push_real(1.0);
    tape.push_int('x');
    tape.abandon();
    assert_eq!(tape.stats().reals, pushed(1, 8));
    assert_eq!(tape.stats().integers, pushed(1, 4));
    tape.begin();
    tape.turn();
    assert_eq!(tape.stats(), TapeStats::default());
    tape.end();
}

#[test]
fn several_are_popped_as_one_by_one() {
    let mut tape = Tape::new();
    tape.push_reals(&[1.0, 2.0, 3.0]);
    assert_eq!(tape.pop_each_if::<f64, 2>(false), [0.0; 2]);
    assert_eq!(tape.pop_each_if::<f64, 2>(true), [3.0, 2.0]);
    assert_eq!(tape.pop_each_if::<f64, 1>(true), [1.0]);
    tape.end();
}

#[test]
#[should_panic = "nothing left to pop"]
fn popping_more_than_there_are_is_a_bug() {
    let mut tape = Tape::new();
    tape.push_reals(&[1.0]);
    tape.pop_each_if::<f64, 2>(true);
}

#[test]
#[should_panic = "nothing left to pop"]
fn popping_an_empty_stack_is_a_bug() {
    Tape::new().pop_real::<f64>();
}

#[test]
#[should_panic = "nothing left to pop"]
fn a_block_longer_than_the_stack_is_a_bug() {
    let mut tape = Tape::new();
    tape.push_ints(&[1, 2]);
    tape.pop_ints(&mut [0; 3]);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic = "the reverse sweep left"]
fn leaving_an_entry_is_a_bug() {
    let mut tape = Tape::new();
    tape.push_count(3);
    tape.end();
}

#[test]
#[cfg(debug_assertions)]
#[should_panic = "the reverse sweep left"]
fn leaving_an_entry_of_a_rare_type_is_a_bug() {
    let mut tape = Tape::new();
    tape.push_int(3u8);
    tape.end();
}

#[test]
#[cfg(not(debug_assertions))]
fn a_left_entry_goes_away() {
    let mut tape = Tape::new();
    tape.push_count(3);
    tape.push_moved(vec![1.0], 8);
    tape.end();
    tape.begin();
    tape.turn();
    assert_eq!(tape.stats(), TapeStats::default());
}

#[test]
#[cfg(debug_assertions)]
#[should_panic = "while it was out"]
fn using_a_stack_that_is_out_is_a_bug() {
    let mut tape = Tape::new();
    let stack = tape.reals_stack::<f64>();
    tape.push_real(1.0);
    tape.put_reals(stack);
}

fn pushed(entries: usize, bytes: usize) -> Pushed {
    Pushed { entries, bytes }
}

/// The error of an adjoint on this tape that records so.
fn excess(tape: &mut Tape, record: impl FnOnce(&mut Tape)) -> crate::LimitExceeded {
    let result = tape.attempt(|tape| {
        tape.begin();
        record(tape);
        tape.turn();
        tape.abandon();
    });
    match result {
        Err(SweepError::Limit(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tape_grows_up_to_its_limit() {
    let mut tape = Tape::with_limit(8_000);
    for _ in 0..2 {
        tape.begin();
        (0..900).for_each(|i| tape.push_real(i as f64));
        tape.push_count(7);
        tape.turn();
        assert_eq!(tape.stats().peak_bytes, 7_208);
        tape.abandon();
    }
    // Another type: what the first one took is given back.
    tape.begin();
    tape.push_ints(&[1u8; 8_000]);
    tape.abandon();
    let error = excess(&mut tape, |tape| {
        (0..1001).for_each(|i| tape.push_real(i as f64))
    });
    assert_eq!((error.limit(), error.location()), (8_000, None));
    assert_eq!(error.bytes(), 8_008);
    // It can be used again.
    tape.begin();
    tape.push_reals(&[1.0; 1000]);
    tape.abandon();
    assert_eq!(tape.stats().reals, pushed(1000, 8_000));
}

#[test]
#[should_panic = "more than the limit of 100 bytes. What is recorded outside of loops takes most, 104 bytes"]
fn what_is_not_tried_panics() {
    let mut tape = Tape::with_limit(100);
    tape.begin();
    tape.push_reals(&[1.0; 13]);
}

#[test]
fn the_loop_that_holds_most_is_named() {
    let mut tape = Tape::with_limit(10_000);
    let (mut first, mut second) = (0, 0);
    let error = excess(&mut tape, |tape| {
        first = line!() + 1;
        tape.enter_loop();
        tape.push_reals(&[1.0; 100]);
        tape.leave_loop();
        second = line!() + 1;
        tape.enter_loop();
        for _ in 0..100 {
            tape.enter_loop();
            tape.push_ints(&[1u32; 100]);
            tape.leave_loop();
        }
        tape.leave_loop();
    });
    assert!(first < second);
    let at = error.location().expect("a loop holds most");
    assert_eq!((at.file(), at.line()), (file!(), second));
    let text = error.to_string();
    assert!(
        text.contains(&format!("The loop at {at} takes most, ")),
        "{text}"
    );
    assert!(
        text.ends_with("by `#[checkpoint(snapshots = 10)]` in front of it"),
        "{text}"
    );
    assert!(
        (9_000..11_000).contains(&error.bytes()),
        "{}",
        error.bytes()
    );
}

#[test]
fn moved_values_are_charged_while_they_are_on_the_tape() {
    let mut tape = Tape::with_limit(10_000);
    tape.begin();
    for _ in 0..100 {
        tape.push_moved(vec![1.0; 1000], 8_000);
        tape.pop_moved::<Vec<f64>>();
    }
    tape.abandon();
    let error = excess(&mut tape, |tape| {
        for _ in 0..2 {
            tape.push_moved(vec![1.0; 1000], 8_000);
        }
    });
    assert!(error.bytes() > 16_000);
}

#[test]
fn exit_values_are_within_the_limit() {
    let error = excess(&mut Tape::with_limit(1_000), |tape| {
        tape.push_reals(&[1.0; 100]);
        tape.keep_reals(&[1.0; 100]);
    });
    assert_eq!(error.bytes(), 1_600);
}

#[test]
fn another_panic_is_handed_on() {
    let mut tape = Tape::new();
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        tape.attempt(|tape| {
            tape.begin();
            std::panic::resume_unwind(Box::new("mine"))
        })
    }));
    let payload = panic.expect_err("it panicked");
    assert_eq!(*payload.downcast::<&str>().expect("the message"), "mine");
    assert!(!tape.is_tried);
}

#[test]
fn a_record_serves_several_reverse_sweeps() {
    let mut tape = Tape::new();
    for _ in 0..2 {
        tape.begin();
        tape.push_reals(&[1.0, 2.0]);
        tape.push_real(0.5f32);
        tape.push_ints(&[3usize, 4]);
        tape.push_int('x');
        tape.push_int([1u8, 2]);
        tape.push_flag(true);
        tape.push_count(7);
        tape.push_moved(String::from("moved"), 5);
        tape.turn();
        let recorded = tape.stats();
        let mut rows = tape.rows(3);
        tape.hold();
        for row in 0..3 {
            assert!(tape.load(row == 2));
            let seeds: Vec<f64> = rows.seeds(row).copied().collect();
            assert_eq!(seeds, [0, 1, 2].map(|i| if i == row { 1.0 } else { 0.0 }));
            assert_eq!(tape.pop_moved::<String>(), "moved");
            assert_eq!((tape.pop_count(), tape.pop_flag()), (7, true));
            assert_eq!(tape.pop_int::<[u8; 2]>(), [1, 2]);
            assert_eq!((tape.pop_int::<char>(), tape.pop_int::<usize>()), ('x', 4));
            assert_eq!((tape.pop_int::<usize>(), tape.pop_real::<f32>()), (3, 0.5));
            assert_eq!((tape.pop_real::<f64>(), tape.pop_real::<f64>()), (2.0, 1.0));
        }
        tape.end_rows(rows);
        tape.end();
        assert_eq!(tape.stats(), recorded);
    }
}

#[test]
fn copies_of_a_record_are_within_the_limit() {
    let error = excess(&mut Tape::with_limit(1_000), |tape| {
        tape.push_reals(&[1.0; 100]);
        tape.hold();
        assert!(tape.load(false));
    });
    assert_eq!(error.bytes(), 1_600);
}
