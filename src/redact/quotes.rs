//! Finds which quotes of a text open and which close, as a shell reads them, including quotes of a second
//! kind inside.

/// The places of quotes, from the opening to the closing one.
#[derive(Debug, Default)]
pub struct Quotes {
    outer: Vec<(usize, usize)>,
    /// Quotes inside other quotes: those of the other kind, and those with a backslash.
    inner: Vec<(usize, usize)>,
}

impl Quotes {
    /// The quotes of a text. An unclosed quote extends to the end.
    pub fn new(text: &[u8]) -> Self {
        let mut made = Self::default();
        let mut outer: Option<(u8, usize)> = None;
        let mut inner: Option<(u8, usize)> = None;
        let (mut escaped, mut last) = (false, b' ');
        let mut comment = false;
        for (at, &byte) in text.iter().enumerate() {
            let before = std::mem::replace(&mut last, byte);
            if comment {
                comment = byte != b'\n';
                continue;
            }
            let is_escaped = escaped;
            escaped = byte == b'\\' && !is_escaped;
            match (byte, outer) {
                (b'#', None) => comment = matches!(before, b' ' | b'\t' | b'\n' | b';'),
                (b'"' | b'\'', None) if !is_escaped => outer = Some((byte, at)),
                (b'"' | b'\'', Some((open, from))) => {
                    // In single quotes a backslash is literal.
                    if byte == open && (!is_escaped || open == b'\'') {
                        made.outer.push((from, at));
                        outer = None;
                        made.inner.extend(inner.take().map(|(_, from)| (from, at)));
                        continue;
                    }
                    inner = match inner {
                        Some((open, from)) if open == byte => {
                            made.inner.push((from, at));
                            None
                        }
                        None => Some((byte, at)),
                        other => other,
                    };
                }
                _ => {}
            }
        }
        made.outer.extend(outer.map(|(_, from)| (from, text.len())));
        made.inner.extend(inner.map(|(_, from)| (from, text.len())));
        made
    }

    /// Whether a quote that opens at `since` or later encloses this place.
    pub fn hold(&self, at: usize, since: usize) -> bool {
        [&self.outer, &self.inner].into_iter().any(|quotes| {
            let next = quotes.partition_point(|(from, _)| *from < at);
            next.checked_sub(1)
                .and_then(|last| quotes.get(last))
                .is_some_and(|(from, to)| *from >= since && at < *to)
        })
    }

    /// The end of the quotes around a quote inside of them.
    pub fn around(&self, inner: usize) -> Option<usize> {
        let next = self.outer.partition_point(|(from, _)| *from < inner);
        let (_, to) = *next.checked_sub(1).and_then(|last| self.outer.get(last))?;
        (inner < to).then_some(to)
    }

    /// The closing quote that belongs to an opening one.
    pub fn closing(&self, opening: usize) -> Option<usize> {
        [&self.outer, &self.inner].into_iter().find_map(|quotes| {
            let found = quotes.binary_search_by_key(&opening, |(from, _)| *from).ok()?;
            quotes.get(found).map(|(_, to)| *to)
        })
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn quotes_open_and_close() {
        let quotes = Quotes::new(b"a 'b' \"c 'd' \\\"e\\\" f\" # it's\n'g");
        assert_eq!(quotes.outer, [(2, 4), (6, 20), (29, 31)]);
        assert_eq!(quotes.inner, [(9, 11), (14, 17)]);
        assert!(quotes.hold(3, 2) && !quotes.hold(3, 3) && !quotes.hold(4, 2) && quotes.hold(10, 9));
        assert_eq!((quotes.around(9), quotes.around(14), quotes.around(6)), (Some(20), Some(20), None));
        assert_eq!((quotes.closing(2), quotes.closing(9), quotes.closing(4)), (Some(4), Some(11), None));
    }
}
