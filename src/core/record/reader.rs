//! Reads the JSON of records from its beginning to its end, without a look back.

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

    /// Goes on behind the name of a field, and the comma before it, if that field is next.
    pub fn skip_field(&mut self, name: &str) -> bool {
        let before = self.at;
        self.open(b',');
        let is = self.skip(name);
        self.at = if is { self.at } else { before };
        is
    }

    /// Whether another item follows in this list.
    pub fn more(&mut self, end: u8) -> Option<bool> {
        let more = self.open(end).is_none();
        if more && !matches!(self.text.as_bytes().get(self.at.wrapping_sub(1)), Some(b'[' | b'{')) {
            self.open(b',')?;
        }
        Some(more)
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
}
