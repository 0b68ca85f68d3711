//! Values as bytes.

use std::fmt::Debug;
use std::io::ErrorKind;

use adjoint_runtime::checkpoint::Encode;

/// Encodes a value, and decodes it over another one.
#[track_caller]
fn check<T: Encode + PartialEq + Debug>(value: T, mut over: T, length: usize) {
    let mut bytes = Vec::new();
    value.encode(&mut bytes).unwrap();
    assert_eq!(bytes.len(), length);
    let mut rest = bytes.as_slice();
    over.decode(&mut rest).unwrap();
    assert_eq!(over, value);
    assert!(rest.is_empty());
    if let Some(cut) = bytes.len().checked_sub(1) {
        let error = over.decode(&mut &bytes[..cut]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    }
}

#[test]
fn values_come_back() {
    let word = size_of::<usize>();
    check(1.5e-300, 0.0, 8);
    check(-2.5f32, 0.0, 4);
    check(usize::MAX, 0, word);
    check(isize::MIN, 0, word);
    check(-3i8, 0, 1);
    check(u128::MAX - 1, 0, 16);
    check(true, false, 1);
    check(false, true, 1);
    check('ß', 'x', 4);
    check((), (), 0);
    check([1.0, 2.0, 3.0], [0.0; 3], 24);
    check(Box::new(7u16), Box::new(0), 2);
    check(Some(2.0), None, 9);
    check(None, Some(2.0), 1);
    check((1.0, 2usize, true), (0.0, 0, false), 9 + word);
    check(
        (1u8, 2u8, 3u8, 4u8, 5u8, 6u8, 7u8, 8u8),
        (0, 0, 0, 0, 0, 0, 0, 0),
        8,
    );
}

#[test]
fn sequences_of_other_lengths_are_overwritten() {
    let word = size_of::<usize>();
    check(vec![1.0, 2.0], vec![], word + 16);
    check(vec![1.0, 2.0], vec![3.0; 5], word + 16);
    check(
        vec![vec![1u8], vec![], vec![2, 3]],
        vec![vec![9; 9]],
        4 * word + 3,
    );
    check(vec![Some((1i32, 'a'))], vec![None; 3], word + 9);
}

#[test]
fn all_bits_of_floats_come_back() {
    let signalling = 0x7ff0_0000_0000_0001;
    for bits in [
        signalling,
        f64::NAN.to_bits(),
        f64::INFINITY.to_bits(),
        (-0.0f64).to_bits(),
        1,
    ] {
        let (mut bytes, mut value) = (Vec::new(), 0.0f64);
        f64::from_bits(bits).encode(&mut bytes).unwrap();
        value.decode(&mut bytes.as_slice()).unwrap();
        assert_eq!(value.to_bits(), bits);
    }
}

#[test]
fn what_is_no_value_is_an_error() {
    let flag = true.decode(&mut [2u8].as_slice()).unwrap_err();
    assert_eq!(flag.kind(), ErrorKind::InvalidData);
    let surrogate = 'a'
        .decode(&mut 0xd800u32.to_le_bytes().as_slice())
        .unwrap_err();
    assert_eq!(surrogate.kind(), ErrorKind::InvalidData);
    // A wrong length ends with the bytes, before it exhausts the memory.
    let endless = usize::MAX.to_le_bytes();
    let error = Vec::<f64>::new()
        .decode(&mut endless.as_slice())
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
}
