//! A few values by their keys, in the order in which they came. A tree for each kind of key would be a large
//! part of the module.

/// The values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<K, V>(Vec<(K, V)>);

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: PartialEq, V> Table<K, V> {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys and the values.
    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.0.iter()
    }

    /// The same, and nobody else has them any more.
    pub fn into_rows(self) -> Vec<(K, V)> {
        self.0
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0.iter().find(|(other, _)| other == key).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.0.iter_mut().find(|(other, _)| other == key).map(|(_, value)| value)
    }

    /// Gives a key this value, whatever it had.
    pub fn insert(&mut self, key: K, value: V) {
        match self.get_mut(&key) {
            Some(old) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    /// Leaves only those whose keys are wanted.
    pub fn retain(&mut self, wanted: impl Fn(&K) -> bool) {
        self.0.retain(|(key, _)| wanted(key));
    }
}

impl<K: PartialEq> Table<K, u64> {
    /// Counts so many more of a key.
    pub fn add(&mut self, key: K, more: u64) {
        match self.get_mut(&key) {
            Some(count) => *count += more,
            None => self.0.push((key, more)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_value() {
        let mut table = Table::new();
        table.insert("b", 1);
        table.insert("a", 2);
        table.insert("b", 3);
        table.add("a", 5);
        table.add("c", 5);
        assert_eq!(table.clone().into_rows(), [("b", 3), ("a", 7), ("c", 5)]);
        table.retain(|key| *key != "b");
        assert_eq!(
            (table.get(&"b"), table.get(&"a"), table.len(), table.is_empty()),
            (None, Some(&7), 2, false)
        );
    }
}
