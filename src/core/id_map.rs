//! A map in one sorted vector. New ids are mostly the highest, and most maps are small. A tree for each key
//! type would make up a large part of the module.

/// Values sorted by their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for IdMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> IdMap<K, V> {
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.0.iter()
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        let index = self.find(key).ok()?;
        self.0.get(index).map(|(_, value)| value)
    }

    /// The value of a key, mutable.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let index = self.find(key).ok()?;
        self.0.get_mut(index).map(|(_, value)| value)
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: K, value: V) {
        match self.find(&key) {
            Ok(index) => self.0[index].1 = value,
            Err(index) => self.0.insert(index, (key, value)),
        }
    }

    /// Keeps only the entries for which `holds` is true, and frees the memory of the others.
    pub fn retain(&mut self, holds: impl Fn(&K, &V) -> bool) {
        self.0.retain(|(key, value)| holds(key, value));
        self.0.shrink_to(2 * self.0.len());
    }

    fn find(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| other.cmp(key))
    }
}

impl<K: Ord> IdMap<K, u64> {
    /// Increases the count of a key.
    pub fn add(&mut self, key: K, more: u64) {
        let count = self.get(&key).copied().unwrap_or_default();
        self.insert(key, count + more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_value() {
        let mut map = IdMap::default();
        map.insert("b", 1);
        map.insert("a", 2);
        map.insert("b", 3);
        map.add("a", 5);
        map.add("c", 5);
        assert_eq!(map.iter().copied().collect::<Vec<_>>(), [("a", 7), ("b", 3), ("c", 5)]);
        map.get_mut(&"c").into_iter().for_each(|count| *count -= 1);
        map.retain(|key, _| *key != "b");
        let found = ["a", "b", "c", "d"].map(|key| map.get(&key).copied());
        assert_eq!(found, [Some(7), None, Some(4), None]);
        assert_eq!((map.len(), map.is_empty()), (2, false));
    }
}
