//! Counting tests: what each runner prints at its end, as three numbers.
//!
//! The invariant: a runner that fails never counts as all passed, whatever it printed.

use std::fmt;
use std::ops::AddAssign;

/// How many tests passed, failed, and did not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
}

impl Tally {
    pub const PASSED: Self = Self { passed: 1, failed: 0, skipped: 0 };
    pub const FAILED: Self = Self { passed: 0, failed: 1, skipped: 0 };

    pub fn skipped(skipped: usize) -> Self {
        Self { skipped, ..Self::default() }
    }

    pub fn failed(failed: usize) -> Self {
        Self { failed, ..Self::default() }
    }

    /// This tally of a runner that ended well or not; a bad end is one failure at least.
    pub fn ended(mut self, well: bool) -> Self {
        if !well && self.failed == 0 {
            self.failed = 1;
        }
        self
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// The lines `test result: ok. 5 passed; 0 failed; 1 ignored; ...` of `cargo test`, one per binary.
pub fn of_libtest(lines: &[String]) -> Option<Tally> {
    sum(lines.iter().filter_map(|line| {
        let (_, counts) = line.split_once("test result: ")?.1.split_once(". ")?;
        Some(counts.split(';').map(str::trim))
    }))
}

/// The line `Summary [ 0.5s] 9 tests run: 8 passed (1 slow), 1 failed, 2 skipped` of nextest.
pub fn of_nextest(lines: &[String]) -> Option<Tally> {
    sum(lines.iter().filter_map(|line| {
        let counts = line.trim_start().strip_prefix("Summary [")?;
        Some(counts.split_once(" run: ")?.1.split(',').map(str::trim))
    }))
}

fn sum<'a>(runs: impl Iterator<Item = impl Iterator<Item = &'a str>>) -> Option<Tally> {
    let mut total = None;
    for counts in runs {
        let tally: &mut Tally = total.get_or_insert_default();
        for count in counts {
            let mut words = count.split(' ');
            let number = words.next().and_then(|number| number.parse().ok()).unwrap_or(0);
            match words.next() {
                Some("passed") => tally.passed += number,
                Some("failed" | "timed") => tally.failed += number,
                Some("ignored" | "skipped") => tally.skipped += number,
                _ => (),
            }
        }
    }
    total
}

/// The closing comments of TAP as Node writes it: `# pass 12`, `# fail 0`, `# skipped 1`.
pub fn of_tap(lines: &[&str]) -> Option<Tally> {
    let count = |name: &str| {
        // A test may print such a line too; the runner's own are the last.
        let mut counts = lines.iter().rev().filter_map(|line| {
            line.strip_prefix("# ")?.strip_prefix(name)?.strip_prefix(' ')?.parse::<usize>().ok()
        });
        counts.next()
    };
    Some(Tally {
        passed: count("pass")?,
        failed: count("fail")? + count("cancelled")?,
        skipped: count("skipped")? + count("todo")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn tally(passed: usize, failed: usize, skipped: usize) -> Option<Tally> {
        Some(Tally { passed, failed, skipped })
    }

    #[test]
    fn results_of_several_binaries_add_up() {
        let text = "running 2 tests\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.00s\n\
            test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s";
        assert_eq!(of_libtest(&lines(text)), tally(5, 1, 2));
    }

    #[test]
    fn nextest_counts_slow_and_timed_out_tests() {
        let summary = |rest: &str| of_nextest(&lines(&format!("     Summary [   1.204s] {rest}")));
        assert_eq!(summary("9 tests run: 9 passed, 0 skipped"), tally(9, 0, 0));
        assert_eq!(summary("1 test run: 1 passed (1 slow), 4 skipped"), tally(1, 0, 4));
        let bad = "9 tests run: 6 passed (1 leaky), 2 failed, 1 timed out, 0 skipped";
        assert_eq!(summary(bad), tally(6, 3, 0));
        assert_eq!(summary("3/9 tests run: 2 passed, 1 failed, 0 skipped"), tally(2, 1, 0));
    }

    #[test]
    fn of_the_same_comment_twice_the_last_is_the_runners() {
        let text = "# pass 99\nok 1\n# tests 4\n# pass 2\n# fail 1\n# cancelled 1\n# skipped 0\n# todo 0";
        assert_eq!(of_tap(&text.lines().collect::<Vec<_>>()), tally(2, 2, 0));
    }

    #[test]
    fn a_runner_that_printed_nothing_is_not_a_run() {
        assert_eq!(of_libtest(&lines("error: could not compile")), None);
        assert_eq!(of_nextest(&lines("error: could not compile")), None);
        assert_eq!(of_tap(&["TAP version 13"]), None);
    }

    #[test]
    fn a_bad_end_is_a_failure_at_least() {
        assert_eq!(Tally::PASSED.ended(false).failed, 1);
        assert_eq!(Tally::failed(3).ended(false).failed, 3);
        assert_eq!(Tally::PASSED.ended(true), Tally::PASSED);
    }
}
