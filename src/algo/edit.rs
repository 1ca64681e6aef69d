//! Levenshtein's distance: the fewest items to put in, take out or change to make one list of another.
//!
//! Definition: the cheapest path through the table of all prefixes, one row of it held at a time.
//!
//! Reference: Wagner and Fischer, "The string-to-string correction problem" (1974).

/// How many edits part two lists. O(a b) time, O(b) space.
///
/// ```
/// assert_eq!(plotbridge::algo::edit::edit_distance(b"kitten", b"sitting"), 3);
/// ```
pub fn edit_distance<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(from != to)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        for (a, b, apart) in [("", "", 0), ("", "abc", 3), ("Tapp", "Tap", 1), ("ferry", "berry", 1)] {
            let (a, b) = (a.as_bytes(), b.as_bytes());
            assert_eq!((edit_distance(a, b), edit_distance(b, a)), (apart, apart));
        }
    }
}
