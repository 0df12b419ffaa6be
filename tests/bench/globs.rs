//! How the time of the worst patterns grows with the text, natively: what crosses the border has at most
//! 256 KB. Fingerprints one pattern a line: its name, the microseconds for half of the text and for all of it.

use std::hint::black_box;
use std::time::Instant;

use tool_approval_guard::rules::glob::Glob;

const LENGTH: usize = 1 << 20;
const ROUNDS: usize = 15;

fn main() {
    let text = "a".repeat(LENGTH);
    for (name, pattern) in
        [("*a?a?…b*", format!("*{}b*", "a?".repeat(10))), ("*aaa…b*", format!("*{}b*", "a".repeat(253)))]
    {
        let glob = Glob::new(&pattern);
        let micros = |text: &str| {
            let start = Instant::now();
            assert!(!black_box(glob.matches(black_box(text))), "the worst pattern matches");
            start.elapsed().as_secs_f64() * 1e6
        };
        // In turns, so that both meet the same machine.
        let rounds: Vec<(f64, f64)> =
            (0..ROUNDS).map(|_| (micros(&text[..LENGTH / 2]), micros(&text))).collect();
        let median = |of: fn(&(f64, f64)) -> f64| {
            let mut times: Vec<f64> = rounds.iter().map(of).collect();
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 2]
        };
        println!("{name}\t{}\t{}", median(|(half, _)| *half), median(|(_, whole)| *whole));
    }
}
