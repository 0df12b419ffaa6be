//! Reads the JSON of records from beginning to end, without going back.

/// The rest of a text that is being read.
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the beginning of a text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.at == self.text.len()
    }

    /// Returns the next byte without consuming it.
    pub fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Consumes this byte, or returns `None` if it is not next.
    pub fn open(&mut self, byte: u8) -> Option<()> {
        let is = self.peek() == Some(byte);
        self.at += usize::from(is);
        is.then_some(())
    }

    /// Consumes and returns the next byte.
    pub fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Consumes and returns this number of bytes.
    pub fn take(&mut self, length: usize) -> Option<&'a str> {
        let taken = self.text.get(self.at..)?.get(..length)?;
        self.at += length;
        Some(taken)
    }

    /// Consumes this text if it is next, and returns whether it was.
    pub fn skip(&mut self, text: &str) -> bool {
        let is = self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(text.as_bytes()));
        self.at += if is { text.len() } else { 0 };
        is
    }

    /// Consumes the name of a field, with the comma before it, if that field is next. Returns whether it was.
    pub fn skip_field(&mut self, name: &str) -> bool {
        let before = self.at;
        self.open(b',');
        let is = self.skip(name);
        self.at = if is { self.at } else { before };
        is
    }

    /// Consumes the separator or the end of a list, and returns whether another item follows.
    pub fn more(&mut self, end: u8) -> Option<bool> {
        let more = self.open(end).is_none();
        if more && !matches!(self.text.as_bytes().get(self.at.wrapping_sub(1)), Some(b'[' | b'{')) {
            self.open(b',')?;
        }
        Some(more)
    }

    /// Consumes and returns the bytes before the first byte that fits `end`.
    pub fn until(&mut self, end: impl Fn(u8) -> bool) -> Option<&'a str> {
        let length = self.text.get(self.at..)?.bytes().position(end)?;
        self.take(length)
    }

    /// Consumes and returns a string that contains no escape.
    pub fn plain(&mut self) -> Option<&'a str> {
        self.open(b'"')?;
        let text = self.until(|byte| matches!(byte, b'"' | b'\\'))?;
        self.open(b'"')?;
        Some(text)
    }
}
