//! Runs the inputs that the fuzzer found worth keeping against the same laws, with a stable compiler.

#[path = "../fuzz/targets.rs"]
mod targets;

fn replay(target: &str, check: fn(&[u8])) {
    let folder = format!("{}/tests/fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(&folder).expect(&folder);
    let mut paths: Vec<_> = files.map(|file| file.expect(&folder).path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{folder} is empty");
    for path in paths {
        // If the check fails, the last printed path is the input that failed.
        println!("{}", path.display());
        check(&std::fs::read(&path).expect("it is there"));
    }
}

macro_rules! replays {
    ($($target:ident)*) => {
        $(
            #[test]
            fn $target() {
                replay(stringify!($target), targets::$target);
            }
        )*
    };
}

replays! { arguments glob path redact rules shell url }
