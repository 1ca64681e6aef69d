//! The vertices that hold chosen ones together: articulation points between terminals.
//!
//! A vertex separates two terminals when every path between them leads through it. One depth-first search
//! of each component finds them all: where the search below a child of `v` reaches nothing above `v`, the
//! child's branch hangs on `v` alone, and `v` separates the terminals in it from those outside. If every
//! vertex is a terminal these are the articulation points of the graph.
//!
//! Reference: Tarjan, "Depth-first search and linear graph algorithms" (1972), with terminals counted.

use super::csr::Csr;

/// Whether each vertex separates two terminals other than itself.
///
/// # Arguments
/// - `graph`: square, each edge in both rows; weights take no part.
/// - `terminals`, `gone`: one flag for each vertex; a vertex that is gone has no edges.
///
/// # Complexity
/// O(v + e) time and space.
///
/// # Example
/// ```
/// use plotbridge::algo::{csr::Csr, separators::separators};
/// // a — b — c, and d on b
/// let edges = vec![(0, 1, 1.0), (1, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0), (1, 3, 1.0), (3, 1, 1.0)];
/// let graph = Csr::new(4, 4, edges);
/// let found = separators(&graph, &[true, false, true, false], &[false; 4]);
/// assert_eq!(found, [false, true, false, false]);
/// ```
pub fn separators(graph: &Csr, terminals: &[bool], gone: &[bool]) -> Vec<bool> {
    let size = graph.height();
    let at = |flags: &[bool], vertex: usize| flags.get(vertex).copied().unwrap_or(false);
    let mut search = Search { order: vec![NONE; size], parent: vec![NONE; size], below: vec![NONE; size] };
    let (mut found, mut held) = (vec![false; size], vec![0usize; size]);
    for root in 0..size {
        if search.order[root] != NONE || at(gone, root) || !at(terminals, root) {
            continue;
        }
        let visited = search.component(graph, root, |vertex| at(gone, vertex));
        let all = visited.iter().filter(|&&vertex| at(terminals, vertex)).count();
        for &vertex in visited.iter().rev() {
            held[vertex] += usize::from(at(terminals, vertex));
            search.settle(graph, vertex);
            let parent = search.parent[vertex];
            if parent == NONE {
                continue;
            }
            held[parent] += held[vertex];
            let outside = all - held[vertex] - usize::from(at(terminals, parent));
            let hangs = search.below[vertex] >= search.order[parent];
            found[parent] |= hangs && held[vertex] > 0 && outside > 0;
        }
    }
    found
}

/// Which of some unwanted vertices have to stay so that terminals that were joined stay joined.
///
/// They are tried in the order given, the least wanted first, and each goes that separates no two terminals
/// in what is left. So of several that would do, the most wanted stays.
///
/// # Complexity
/// O(u (v + e)) time for u unwanted ones.
pub fn needed(graph: &Csr, terminals: &[bool], unwanted: &[usize]) -> Vec<usize> {
    let mut gone = vec![false; graph.height()];
    let mut needed = Vec::new();
    for &vertex in unwanted {
        if separators(graph, terminals, &gone).get(vertex) == Some(&true) {
            needed.push(vertex);
        } else if let Some(gone) = gone.get_mut(vertex) {
            *gone = true;
        }
    }
    needed
}

const NONE: usize = usize::MAX;

/// A depth-first search: when each vertex was met, from where, and the earliest that its branch reaches.
struct Search {
    order: Vec<usize>,
    parent: Vec<usize>,
    below: Vec<usize>,
}

impl Search {
    /// The vertices of one component in the order met.
    fn component(&mut self, graph: &Csr, root: usize, gone: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut visited = vec![root];
        self.order[root] = 0;
        let mut open = vec![(root, graph.row(root))];
        while let Some((vertex, edges)) = open.last_mut() {
            let vertex = *vertex;
            match edges.map(|(next, _)| next).find(|&next| self.order[next] == NONE && !gone(next)) {
                Some(next) => {
                    self.order[next] = visited.len();
                    self.parent[next] = vertex;
                    visited.push(next);
                    open.push((next, graph.row(next)));
                }
                None => {
                    open.pop();
                }
            }
        }
        visited
    }

    /// The earliest vertex that the branch below this one reaches; its children are settled already.
    fn settle(&mut self, graph: &Csr, vertex: usize) {
        let mut below = self.order[vertex];
        for (next, _) in graph.row(vertex).filter(|&(next, _)| self.order[next] != NONE) {
            if self.parent[next] == vertex {
                below = below.min(self.below[next]);
            } else if next != self.parent[vertex] {
                below = below.min(self.order[next]);
            }
        }
        self.below[vertex] = below;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(size: usize, edges: &[(u32, u32)]) -> Csr {
        Csr::new(size, size, edges.iter().flat_map(|&(a, b)| [(a, b, 1.0), (b, a, 1.0)]).collect())
    }

    #[test]
    fn of_two_ways_round_the_more_wanted_stays() {
        // 0 and 3 are joined over 1 and over 2.
        let ring = graph(4, &[(0, 1), (1, 3), (0, 2), (2, 3)]);
        let terminals = [true, false, false, true];
        assert_eq!(separators(&ring, &terminals, &[false; 4]), [false; 4]);
        assert_eq!(needed(&ring, &terminals, &[2, 1]), [1]);
        assert_eq!(needed(&ring, &terminals, &[1, 2, 9]), [2]);
    }

    #[test]
    fn what_joins_nobody_may_go() {
        let line = graph(5, &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(needed(&line, &[true, false, true, false, true], &[3, 1]), [1]);
        assert_eq!(needed(&line, &[true, false, false, false, false], &[1, 2, 3]), [0usize; 0]);
        assert_eq!(separators(&graph(0, &[]), &[], &[]), [false; 0]);
    }
}
