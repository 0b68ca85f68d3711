use adjoint_analysis::{expand::*, options::Options};
fn main() {
    let src = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let file = syn::parse_file(&src).unwrap();
    for item in file.items {
        if let syn::Item::Fn(mut f) = item {
            if f.attrs.iter().any(|a| a.path().is_ident("adjoint")) {
                f.attrs.retain(|a| !a.path().is_ident("adjoint"));
                match analyse(&f, &Options::default()) {
                    Ok(a) => println!("{}", a.plan),
                    Err(e) => println!("{e:?}"),
                }
                println!("{}", expand(Default::default(), quote::quote!(#f)));
            }
        }
    }
}
