use crate::{Carrier, Differentiable, Mismatch, Tape};

/// Saves a value, spoils it by another, restores it and loads it anew.
#[track_caller]
fn survives<T: Carrier + Clone + PartialEq + std::fmt::Debug>(value: &T, others: &[T]) {
    let mut tape = Tape::new();
    for other in others {
        let mut place = value.clone();
        place.save(&mut tape);
        place = other.clone();
        place.restore(&mut tape);
        assert_eq!(&place, value, "restored over {other:?}");
        value.save(&mut tape);
        assert_eq!(&T::load(&mut tape), value);
        tape.end();
    }
}

/// A struct as the derive treats it.
#[derive(Clone, PartialEq, Debug)]
struct Node {
    w: Vec<f64>,
    id: u32,
    next: Option<Box<Node>>,
}

impl Carrier for Node {
    fn zeroed(&self) -> Self {
        Node {
            w: self.w.zeroed(),
            id: self.id.zeroed(),
            next: self.next.zeroed(),
        }
    }

    fn zero_floats(&mut self) {
        self.w.zero_floats();
        self.id.zero_floats();
        self.next.zero_floats();
    }

    fn add_floats(&mut self, a: f64, x: &Self) {
        self.w.add_floats(a, &x.w);
        self.id.add_floats(a, &x.id);
        self.next.add_floats(a, &x.next);
    }

    fn scale_floats(&mut self, a: f64) {
        self.w.scale_floats(a);
        self.id.scale_floats(a);
        self.next.scale_floats(a);
    }

    fn dot_floats(&self, other: &Self) -> f64 {
        self.w.dot_floats(&other.w)
            + self.id.dot_floats(&other.id)
            + self.next.dot_floats(&other.next)
    }

    fn check_shape(&self, adjoint: &Self) -> Result<(), Mismatch> {
        self.w
            .check_shape(&adjoint.w)
            .map_err(|m| m.in_field("w"))?;
        self.id
            .check_shape(&adjoint.id)
            .map_err(|m| m.in_field("id"))?;
        self.next
            .check_shape(&adjoint.next)
            .map_err(|m| m.in_field("next"))
    }

    fn count_floats(&self) -> usize {
        self.w.count_floats() + self.id.count_floats() + self.next.count_floats()
    }

    fn append_floats(&self, flat: &mut Vec<f64>) {
        self.w.append_floats(flat);
        self.id.append_floats(flat);
        self.next.append_floats(flat);
    }

    fn take_floats(&mut self, flat: &mut std::slice::Iter<'_, f64>) {
        self.w.take_floats(flat);
        self.id.take_floats(flat);
        self.next.take_floats(flat);
    }

    fn save(&self, tape: &mut Tape) {
        self.w.save(tape);
        self.id.save(tape);
        self.next.save(tape);
    }

    fn restore(&mut self, tape: &mut Tape) {
        self.next.restore(tape);
        self.id.restore(tape);
        self.w.restore(tape);
    }

    fn load(tape: &mut Tape) -> Self {
        let next = Carrier::load(tape);
        let id = Carrier::load(tape);
        let w = Carrier::load(tape);
        Node { w, id, next }
    }
}

impl Differentiable for Node {}

fn list(weights: &[f64]) -> Node {
    let (first, rest) = weights.split_first().expect("a list has a node");
    Node {
        w: vec![*first; rest.len() + 1],
        id: rest.len() as u32,
        next: (!rest.is_empty()).then(|| Box::new(list(rest))),
    }
}

#[test]
fn adjoints_keep_discrete_parts() {
    let node = list(&[1.0, 2.0]);
    let mut adjoint = node.zero_like();
    assert_eq!(adjoint.w, [0.0, 0.0]);
    assert_eq!((adjoint.id, adjoint.next.as_ref().unwrap().id), (1, 0));
    adjoint.accumulate(&node);
    adjoint.accumulate(&node);
    assert_eq!(adjoint.w, [2.0, 2.0]);
    assert_eq!(adjoint.next.as_ref().unwrap().w, [4.0]);
    assert_eq!(adjoint.id, 1);
    adjoint.set_zero();
    assert_eq!(adjoint, node.zero_like());
    assert_eq!(node.flat_len(), 3);
}

#[test]
fn values_survive_the_tape() {
    survives(&1.5f32, &[2.0]);
    survives(&true, &[false]);
    survives(&'x', &['y']);
    survives(&(), &[()]);
    survives(&"label", &["other"]);
    survives(&String::from("name"), &[String::new()]);
    survives(&[[1.0, 2.0], [3.0, 4.0]], &[[[0.0; 2]; 2]]);
    survives(&[true, false, false], &[[true; 3]]);
    survives(&Box::new((1.0, 2u8)), &[Box::new((3.0, 4))]);
    survives(
        &(1u8, 2.0, 3u8, 4.0, "5", 6.0f32, [7.0], 8u8),
        &[(0, 0.0, 0, 0.0, "", 0.0, [0.0], 0)],
    );
}

#[test]
fn lengths_and_variants_come_back() {
    let longer_and_shorter = [vec![], vec![9.0], vec![9.0; 3], vec![9.0; 5]];
    survives(&vec![1.0, 2.0, 3.0], &longer_and_shorter);
    survives(&vec![], &longer_and_shorter);
    let boxed = longer_and_shorter.map(Vec::into_boxed_slice);
    survives(&boxed[2].clone(), &boxed);
    survives(&vec![vec![1usize], vec![2, 3]], &[vec![], vec![vec![]; 4]]);
    survives(&vec![vec![1.0], vec![2.0, 3.0]], &[vec![], vec![vec![]; 4]]);
    survives(&Some(1.0), &[None, Some(2.0)]);
    survives(&None, &[None, Some(2.0)]);
    survives::<Result<f64, String>>(&Ok(1.0), &[Ok(2.0), Err("e".into())]);
    survives::<Result<f64, String>>(&Err("f".into()), &[Ok(2.0), Err("e".into())]);
    survives(&list(&[1.0, 2.0, 3.0]), &[list(&[9.0]), list(&[9.0; 5])]);
}

#[test]
fn slices_of_floats_are_one_block() {
    let mut tape = Tape::new();
    let values = vec![vec![1.0, 2.0], vec![3.0]];
    values.save(&mut tape);
    tape.turn();
    let stats = tape.stats();
    assert_eq!((stats.reals.entries, stats.control.entries), (3, 3));
    let mut row = [0.0];
    assert_eq!((tape.pop_count(), tape.pop_count()), (2, 1));
    tape.pop_reals(&mut row);
    assert_eq!(row, [3.0]);
}

#[test]
fn mismatches_say_where() {
    let (short, long) = (list(&[1.0]), list(&[1.0, 2.0]));
    assert_eq!(long.check_shape(&long.zero_like()), Ok(()));
    let expect = |value: &dyn Fn() -> Result<(), Mismatch>, path: &str, message: &str| {
        let mismatch = value().unwrap_err();
        assert_eq!(mismatch.path, path);
        assert_eq!(mismatch.message("p", "q"), message);
    };
    expect(
        &|| short.check_shape(&long),
        ".w",
        "`p.w` has length 1, but `q.w` has length 2",
    );
    let mut cut = long.clone();
    cut.next = None;
    expect(
        &|| [short.clone(), long.clone()].check_shape(&[short.clone(), cut.clone()]),
        "[1].next",
        "`p[1].next` is `Some`, but `q[1].next` is `None`",
    );
    expect(
        &|| (0.0, [vec![1.0], vec![]]).check_shape(&(0.0, [vec![1.0], vec![2.0]])),
        ".1[1]",
        "`p.1[1]` has length 0, but `q.1[1]` has length 1",
    );
    expect(
        &|| Result::<f64, u8>::Ok(1.0).check_shape(&Err(1)),
        "",
        "`p` is `Ok`, but `q` is `Err`",
    );
}

#[test]
#[should_panic = "differ in shape"]
fn increments_of_another_shape_are_a_bug() {
    vec![1.0].accumulate(&vec![]);
}
