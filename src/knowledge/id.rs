//! Small index types: which chunk, entity, event, cluster, triple or relation of one index.
//!
//! All are 32 bits wide: a book over four thousand million chunks is refused long before
//! (`too_large`), and half-width ids halve the graphs. An id is only meaningful in its own index.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The id of the item at this place of its list.
            pub fn new(index: usize) -> Self {
                Self(index as u32)
            }
            /// The item's place in its list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A chunk, in text order.
    ChunkId
);
id!(
    /// An entity.
    EntityId
);
id!(
    /// An event, in text order.
    EventId
);
id!(
    /// A cluster of events with one label.
    ClusterId
);
id!(
    /// A triple.
    TripleId
);
id!(
    /// A relation, by the order of their ends.
    RelationId
);
