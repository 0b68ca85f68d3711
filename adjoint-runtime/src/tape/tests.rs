use super::*;

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
    let mut stack = tape.reals_stack::<f64>();
    stack.push(9.0);
    let frame = open_frame(&mut stack, 3);
    assert_eq!(frame, [0.0; 3]);
    frame[1] = 5.0;
    tape.put_reals(stack);
    let mut flags = tape.flags_stack();
    open_frame_of(&mut flags, 2, false)[1] = true;
    tape.put_flags(flags);
    tape.turn();
    assert_eq!(tape.stats().reals, pushed(4, 32));
    assert_eq!(tape.stats().control, pushed(2, 2));

    let mut flags = tape.flags_stack();
    assert_eq!(top_frame(&flags, 2), [false, true]);
    close_frame(&mut flags, 2);
    tape.put_flags(flags);
    let mut stack = tape.reals_stack::<f64>();
    assert_eq!(top_frame(&stack, 3), [0.0, 5.0, 0.0]);
    close_frame(&mut stack, 3);
    assert_eq!(pop_from(&mut stack), 9.0);
    tape.put_reals(stack);
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
        parts.flags.push_flag(k == 0);
        parts.flags.push_label(k, 3);
    }
    tape.turn();
    assert_eq!(tape.stats().reals, pushed(2, 16));
    assert_eq!(tape.stats().integers, pushed(2, 2));
    assert_eq!(tape.stats().control, pushed(8, 1));
    let parts = tape.parts();
    let [reals] = top_slots(parts.reals.of::<f64>(), 2, [true]);
    let [integers] = top_slots(parts.integers.of::<u8>(), 2, [true]);
    assert_eq!((reals, integers), (&[0.0, 1.0][..], &[5, 6][..]));
    assert_eq!((tape.pop_label(3), tape.pop_flag()), (1, false));
    assert_eq!((tape.pop_label(3), tape.pop_flag()), (0, true));
    let parts = tape.parts();
    close_slots(parts.reals.of::<f64>(), 2, [true, false]);
    close_slots(parts.integers.of::<u8>(), 2, [true]);
    tape.end();
}

#[test]
fn reopened_frames_are_zero_again() {
    let mut stack = Vec::new();
    open_frame(&mut stack, 2).fill(1u32);
    close_frame(&mut stack, 2);
    assert_eq!(open_frame(&mut stack, 3), [0, 0, 0]);
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
    let out = tape.counts_stack();
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
