//! Reads the JSON of records from its beginning to its end, without a look back.

use super::json::Read;
use crate::core::id_map::IdMap;

/// What is left of a text.
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// All of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    /// The next byte.
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Goes on behind this byte.
    pub fn open(&mut self, byte: u8) -> Option<()> {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is.then_some(())
    }

    /// The next byte, behind which it goes on.
    pub fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// So many bytes.
    pub fn take(&mut self, length: usize) -> Option<&'a str> {
        let taken = self.text.get(self.at..)?.get(..length)?;
        self.at += length;
        Some(taken)
    }

    /// Goes on behind this text, if it is next.
    pub fn skip(&mut self, text: &str) -> bool {
        let is = self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()));
        self.at += if is { text.len() } else { 0 };
        is
    }

    /// A field, which may be left out.
    pub fn field<T: Read>(&mut self, name: &str) -> Option<T> {
        let before = self.at;
        self.open(b',');
        if self.skip(name) {
            return T::read(self);
        }
        self.at = before;
        T::absent()
    }

    /// Whether another item follows in this list.
    pub fn more(&mut self, end: u8) -> Option<bool> {
        let more = self.open(end).is_none();
        if more && !matches!(self.text.as_bytes().get(self.at.wrapping_sub(1)), Some(b'[' | b'{')) {
            self.open(b',')?;
        }
        Some(more)
    }

    /// A list of things.
    pub fn list<T: Read, C: Default + Extend<T>>(&mut self) -> Option<C> {
        let mut list = C::default();
        self.open(b'[')?;
        while self.more(b']')? {
            list.extend([T::read(self)?]);
        }
        Some(list)
    }

    /// The bytes before the first one of these.
    pub fn until(&mut self, end: impl Fn(u8) -> bool) -> Option<&'a str> {
        let length = self.text.get(self.at..)?.bytes().position(end)?;
        self.take(length)
    }

    /// A text without any escape.
    pub fn plain(&mut self) -> Option<&'a str> {
        self.open(b'"')?;
        let text = self.until(|byte| matches!(byte, b'"' | b'\\'))?;
        self.open(b'"')?;
        Some(text)
    }

    /// The fields of a flat object, each value as a cell of a table: a text as it is, and all else as it is
    /// written.
    pub fn cells(text: &'a str) -> Option<IdMap<&'a str, String>> {
        let mut from = Self::new(text);
        let mut cells = IdMap::default();
        from.open(b'{')?;
        while from.more(b'}')? {
            let name = from.plain()?;
            from.open(b':')?;
            let cell = match from.peek()? {
                b'"' => String::read(&mut from)?,
                _ => from.until(|byte| matches!(byte, b',' | b'}'))?.to_owned(),
            };
            cells.insert(name, cell);
        }
        Some(cells)
    }
}
