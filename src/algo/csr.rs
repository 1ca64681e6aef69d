//! A frozen weighted graph in compressed sparse rows.
//!
//! Rows are sources, `columns` the targets of each row's edges and `weights` their weights. Parallel
//! edges are added up when the graph is made, and each row is sorted by target, so iteration order
//! is a property of the graph and not of how it was collected.

/// A weighted directed graph (or one side of a bipartite one) as sparse rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr {
    starts: Vec<u32>,
    columns: Vec<u32>,
    weights: Vec<f64>,
    width: usize,
}

impl Csr {
    /// The graph with `height` sources, `width` targets and these `(source, target, weight)` edges.
    ///
    /// Edges that point outside are left out; parallel ones are added up in the order given.
    /// O(e log e) time.
    pub fn new(height: usize, width: usize, mut edges: Vec<(u32, u32, f64)>) -> Self {
        edges.retain(|&(row, column, _)| (row as usize) < height && (column as usize) < width);
        if !edges.is_sorted_by_key(|&(row, column, _)| (row, column)) {
            // Stable: parallel edges keep their order, so their sum is the same everywhere.
            edges.sort_by_key(|&(row, column, _)| (row, column));
        }
        let mut graph = Self {
            starts: Vec::with_capacity(height + 1),
            columns: Vec::with_capacity(edges.len()),
            weights: Vec::with_capacity(edges.len()),
            width,
        };
        let mut last = None;
        for (row, column, weight) in edges {
            while graph.starts.len() <= row as usize {
                graph.starts.push(graph.columns.len() as u32);
            }
            match graph.weights.last_mut() {
                Some(sum) if last == Some((row, column)) => *sum += weight,
                _ => {
                    graph.columns.push(column);
                    graph.weights.push(weight);
                }
            }
            last = Some((row, column));
        }
        while graph.starts.len() <= height {
            graph.starts.push(graph.columns.len() as u32);
        }
        graph
    }

    /// Number of sources.
    pub fn height(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Number of targets.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of distinct edges.
    pub fn edge_count(&self) -> usize {
        self.columns.len()
    }

    /// The `(target, weight)` edges of one source, by target.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = match (self.starts.get(row), self.starts.get(row + 1)) {
            (Some(&start), Some(&end)) => start as usize..end as usize,
            _ => 0..0,
        };
        range.map(|edge| (self.columns[edge] as usize, self.weights[edge]))
    }

    /// Every edge as `(source, target, weight)`, by source, then target.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.height()).flat_map(|row| self.row(row).map(move |(column, weight)| (row, column, weight)))
    }

    /// The same edges seen from their targets.
    pub fn transposed(&self) -> Self {
        // Counting sort by target: each target's first place, then every edge to its own.
        let mut starts = vec![0u32; self.width + 1];
        for &column in &self.columns {
            starts[column as usize + 1] += 1;
        }
        for target in 0..self.width {
            starts[target + 1] += starts[target];
        }
        let mut next = starts.clone();
        let (mut columns, mut weights) = (vec![0; self.columns.len()], vec![0.0; self.columns.len()]);
        for (row, column, weight) in self.edges() {
            let place = next[column] as usize;
            next[column] += 1;
            columns[place] = row as u32;
            weights[place] = weight;
        }
        Self { starts, columns, weights, width: self.height() }
    }

    /// The same edges with other weights: `weigh` is given source, target and weight.
    pub fn weighed(&self, mut weigh: impl FnMut(usize, usize, f64) -> f64) -> Self {
        let weights = self.edges().map(|(row, column, weight)| weigh(row, column, weight)).collect();
        Self { weights, ..self.clone() }
    }

    /// The sum of each source's weights.
    pub fn row_sums(&self) -> Vec<f64> {
        (0..self.height()).map(|row| self.row(row).map(|(_, weight)| weight).sum()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_edges_add_up_and_outsiders_are_dropped() {
        let graph = Csr::new(
            3,
            2,
            vec![(2, 1, 1.0), (0, 1, 2.0), (0, 1, 3.0), (0, 0, 1.0), (9, 0, 1.0), (0, 9, 1.0)],
        );
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 0, 1.0), (0, 1, 5.0), (2, 1, 1.0)]);
        assert_eq!(graph.row_sums(), [6.0, 0.0, 1.0]);
        assert_eq!(graph.transposed().transposed(), graph);
    }

    #[test]
    fn an_empty_graph_has_empty_rows() {
        let graph = Csr::new(2, 2, Vec::new());
        assert_eq!(
            (graph.height(), graph.edge_count(), graph.row(1).count(), graph.row(7).count()),
            (2, 0, 0, 0)
        );
    }
}
