//! A map by symbol. New symbols are the highest, so that a sorted vector is both the smallest and
//! the fastest map: in the module a tree would cost more bytes than this whole folder.

use crate::core::call::Symbol;

#[derive(Clone, Debug)]
pub(super) struct Book<T>(Vec<(Symbol, T)>);

impl<T> Default for Book<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy + Default> Book<T> {
    fn find(&self, symbol: Symbol) -> Result<usize, usize> {
        self.0.binary_search_by_key(&symbol, |&(key, _)| key)
    }

    pub fn get(&self, symbol: Symbol) -> Option<T> {
        let index = self.find(symbol).ok()?;
        self.0.get(index).map(|&(_, value)| value)
    }

    /// The symbols that have a value.
    pub fn keys(&self) -> impl Iterator<Item = Symbol> {
        self.0.iter().map(|&(symbol, _)| symbol)
    }

    /// Drops what does not hold for a value.
    pub fn retain(&mut self, holds: impl Fn(T) -> bool) {
        self.0.retain(|&(_, value)| holds(value));
        self.0.shrink_to(2 * self.0.len());
    }

    pub fn set(&mut self, symbol: Symbol, value: T) {
        match self.find(symbol) {
            Ok(index) => {
                if let Some(entry) = self.0.get_mut(index) {
                    entry.1 = value;
                }
            }
            Err(index) => self.0.insert(index, (symbol, value)),
        }
    }
}
