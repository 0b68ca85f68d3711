use expect_test::{Expect, expect};
use proc_macro2::TokenStream;
use quote::quote;

use super::derive;

/// Checks that deriving fails with one error of this message.
#[track_caller]
fn check_error(item: TokenStream, message: Expect) {
    let file: syn::File = syn::parse2(derive(item)).expect("errors are items");
    let [syn::Item::Macro(error)] = file.items.as_slice() else {
        panic!("one error and nothing else");
    };
    let text: syn::LitStr = error
        .mac
        .parse_body()
        .expect("`compile_error!` takes a text");
    message.assert_eq(&text.value());
}

#[test]
fn unions_are_refused() {
    check_error(
        quote!(union Bits { real: f64, bits: u64 }),
        expect![[r#"
            `Differentiable` can't be derived for a union, which doesn't say which of its fields holds a value
            help: use an enum"#]],
    );
}

#[test]
fn packed_structs_are_refused() {
    check_error(
        quote!(
            #[repr(C, packed(2))]
            struct Tight {
                small: u8,
                real: f64,
            }
        ),
        expect![[r#"
            `Differentiable` can't be derived for a packed struct, whose fields can't be borrowed
            help: remove `packed`, or implement `adjoint::Carrier` by hand"#]],
    );
}

#[test]
fn the_header_is_kept_and_bounded() {
    let file: syn::File = syn::parse2(derive(quote! {
        #[repr(align(16))]
        struct Many<'a, T: 'a, const N: usize = 3>
        where
            T: Copy,
        {
            many: [T; N],
            held: PhantomData<&'a T>,
        }
    }))
    .expect("an implementation is an item");
    let [
        syn::Item::Impl(item),
        syn::Item::Impl(vectors),
        syn::Item::Impl(marker),
    ] = file.items.as_slice()
    else {
        panic!("three implementations and nothing else");
    };
    let expected: syn::ItemImpl = syn::parse_quote! {
        #[automatically_derived]
        #[diagnostic::do_not_recommend]
        impl<'a, T: 'a + ::adjoint::Carrier, const N: usize> ::adjoint::Carrier
            for Many<'a, T, N>
        where
            T: Copy,
        {
        }
    };
    let header = syn::ItemImpl {
        items: Vec::new(),
        ..item.clone()
    };
    assert_eq!(header, expected);
    assert_eq!(vectors.generics, expected.generics);
    assert_eq!(marker.generics, expected.generics);
}
