//! A tape that is used again does not allocate again.

use adjoint_runtime::__private::{Tape, close_slots, open_slots, top_slots};

/// Uses every kind of stack.
fn sweep(tape: &mut Tape, lent: &mut Vec<f64>) -> f64 {
    tape.begin();
    for i in 0..1000usize {
        tape.push_real(i as f64);
        tape.push_real(i as f32);
        tape.push_int(i);
        tape.push_int(i as i16);
        tape.push_int([i, i]);
        tape.push_flag(i % 3 == 0);
        tape.push_count(i);
        tape.push_moved((i, i), 16);
    }
    let mut stack = tape.reals_stack::<f64>();
    let [slot] = open_slots(&mut stack, 100, [true]);
    slot[7] = 1.0;
    tape.put_reals(stack);
    tape.turn();

    tape.keep_reals(&[1.0; 50]);
    tape.keep_ints(&[1u8; 50]);
    tape.keep_vec(&[2.0; 30]);
    let mut stack = tape.reals_stack::<f64>();
    let mut sum = top_slots(&stack, 100, [true])[0][7];
    close_slots(&mut stack, 100, [true]);
    tape.put_reals(stack);
    for i in (0..1000usize).rev() {
        assert_eq!(tape.pop_moved::<(usize, usize)>(), (i, i));
        assert_eq!(tape.pop_count(), i);
        assert_eq!(tape.pop_flag(), i % 3 == 0);
        assert_eq!(tape.pop_int::<[usize; 2]>(), [i, i]);
        assert_eq!(tape.pop_int::<i16>(), i as i16);
        assert_eq!(tape.pop_int::<usize>(), i);
        sum += f64::from(tape.pop_real::<f32>()) + tape.pop_real::<f64>();
    }
    lent.truncate(3);
    tape.give_back_vec(lent);
    assert_eq!(*lent, [2.0; 30]);
    tape.give_back_ints(&mut [0u8; 50]);
    tape.give_back_reals(&mut [0.0; 50]);
    tape.end();
    sum
}

#[test]
fn the_second_sweep_allocates_nothing() {
    let (mut tape, mut lent) = (Tape::new(), Vec::new());
    let first = sweep(&mut tape, &mut lent);
    let mut second = 0.0;
    let info = allocation_counter::measure(|| second = sweep(&mut tape, &mut lent));
    assert_eq!(info.count_total, 0);
    assert_eq!((first, second), (999_001.0, 999_001.0));
}
