//! Kernels that read data in types of other crates: see the tests.
