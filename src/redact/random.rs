//! Tells generated texts from written ones, by how little of them consists of words.
//!
//! By decision, a UUID, hexadecimal digits (hashes, commits), names of several words and dates do not count as
//! generated. Neither does a run longer than [`LONGEST`] that no name calls a key: it is content, such as a picture. In
//! a record, texts with two kinds of characters count as secrets, and so do hashes, unless they say what they are.

/// The fewest characters of a key.
const SHORTEST: usize = 20;
/// The most characters of a key that has no name.
pub const LONGEST: usize = 512;

/// Whether it is a character of a name.
#[inline(always)]
pub fn is_word(byte: u8) -> bool {
    LETTERS[usize::from(byte)] == 2
}

/// Whether it is a character of base64, or of its URL-safe form.
#[inline(always)]
pub fn is_token(byte: u8) -> bool {
    LETTERS[usize::from(byte)] != 0
}

/// 2 for what a name has, 1 for what only base64 has. This is looked up for every byte of a long text.
const LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        letters[byte as usize] = match byte {
            b'+' | b'/' => 1,
            b'_' | b'-' => 2,
            _ => 2 * byte.is_ascii_alphanumeric() as u8,
        };
        byte += 1;
    }
    letters
};

/// Whether the run looks like a key.
pub fn is_random(run: &[u8], strict: bool) -> bool {
    if run.len() < SHORTEST {
        return false;
    }
    // Prefixes of public values: hashes, and SSH public keys in their wire format (RFC 4253, 6.6).
    let public: [&[u8]; 7] =
        [b"sha1-", b"sha256-", b"sha384-", b"sha512-", b"AAAAB3NzaC1", b"AAAAC3NzaC1", b"AAAAE2VjZHNh"];
    if public.iter().any(|start| run.starts_with(start)) || is_uuid(run) || is_marked_id(run) {
        return false;
    }
    // Addresses and hashes of blockchains are written like this.
    let run = run.strip_prefix(b"0x").unwrap_or(run);
    let has = |is: fn(&u8) -> bool| run.iter().any(is);
    let (lower, upper, digit) =
        (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase), has(u8::is_ascii_digit));
    if run.iter().all(u8::is_ascii_hexdigit) {
        // A run of 40 is a commit and one of 64 a digest. Both identify what the tool acts on.
        return strict && digit && (lower || upper) && run.len() >= 32 && !matches!(run.len(), 40 | 64);
    }
    let kinds = usize::from(lower) + usize::from(upper) + usize::from(digit);
    let known = known(run, kinds < 3);
    match kinds {
        3 => 2 * known < run.len(),
        2 if strict || lower && upper && run.len() >= 32 => 2 * known < run.len(),
        _ => false,
    }
}

/// Whether it is an id of a message, call, customer and so on, marked as such by its issuer.
#[rustfmt::skip]
fn is_marked_id(run: &[u8]) -> bool {
    let Some(length) = run.iter().take(10).position(|byte| matches!(byte, b'_' | b'-')) else { return false };
    let (mark, id) = run.split_at(length);
    let is_known = matches!(mark,
        b"msg" | b"toolu" | b"srvtoolu" | b"tooluse" | b"call" | b"chatcmpl" | b"cmpl" | b"resp" | b"run" |
        b"thread" | b"asst" | b"file" | b"batch" | b"org" | b"proj" | b"req" | b"evt" | b"fc" | b"rs" | b"ws" |
        b"vs" | b"gen" | b"item" | b"step" | b"conv" | b"ftjob" | b"modr" | b"cus" | b"sub" | b"price" |
        b"prod" | b"pi" | b"pm" | b"ch" | b"in" | b"acct" | b"txn" | b"po" | b"seti" | b"cs" | b"dpl" |
        b"prj" | b"team" | b"user" | b"usr");
    // `pi_…_secret_…` is a secret.
    is_known && !id.windows(6).any(|part| part == b"secret")
}

/// Groups of 8, 4, 4, 4 and 12 hexadecimal digits, RFC 9562, section 4.
pub fn is_uuid(run: &[u8]) -> bool {
    let is_right = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    run.len() == 36 && run.iter().enumerate().all(is_right)
}

/// The number of characters that belong to words and numbers. A word has at least three letters, all of one case except
/// the first, with a vowel among every six; a number has at least four digits. Words in capitals count if
/// `capitals` is set.
fn known(run: &[u8], capitals: bool) -> usize {
    let mut known = 0;
    let mut rest = run;
    while let [first, more @ ..] = rest {
        let length = |is: fn(&u8) -> bool| more.iter().take_while(|byte| is(byte)).count();
        let (length, fewest) = match first {
            b'0'..=b'9' => (1 + length(u8::is_ascii_digit), 4),
            b'a'..=b'z' => (1 + length(u8::is_ascii_lowercase), 3),
            b'A'..=b'Z' => match length(u8::is_ascii_uppercase) {
                0 => (1 + length(u8::is_ascii_lowercase), 3),
                // The last capital begins the next word.
                length => (
                    length + usize::from(!more.get(length).is_some_and(u8::is_ascii_lowercase)),
                    if capitals { 3 } else { 99 },
                ),
            },
            _ => (1, 2),
        };
        let (word, next) = rest.split_at(length.clamp(1, rest.len()));
        let is_vowel =
            |byte: &&u8| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
        let has_vowel = 6 * word.iter().filter(is_vowel).count() >= word.len();
        if word.len() >= fewest && word.len() <= 24 && (has_vowel || first.is_ascii_digit()) {
            known += word.len();
        }
        rest = next;
    }
    known
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn what_a_generator_made() {
        for run in [
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "q7Zp2LmX9vKt4RbW8sNd",
            "Zm9vYmFyMTIzNDU2Nzg5MGFi",
            "9f8Gh2Kq-Lx0Pz_7RtYv3Wb",
            "hQ3kPz8/vT+2Xw1YbR5nLs9DfJ6gMc4A",
        ] {
            assert!(is_random(run.as_bytes(), false), "{run}");
        }
        for run in ["k3j9x8c7v6b5n4m3l2k1", "0123456789abcdef0123456789abcdef", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]
        {
            assert!(!is_random(run.as_bytes(), false) && is_random(run.as_bytes(), true), "{run}");
        }
    }

    #[test]
    fn what_somebody_wrote() {
        for run in [
            "getUserById2AndUpdateTheList3",
            "src/components/Button2/IndexPage",
            "20240115T103000Z-backup-X1",
            "550e8400-e29b-41d4-a716-446655440000",
            "356a192b7913b04c54574d18c28d46e6395428ab",
            "MY_LONG_CONSTANT_NAME_2",
            "a-branch-with-a-long-name-2024",
            "InternationalizationServiceFactoryBean",
            "iPhone15ProMax256GBNaturalTitanium",
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
            "AAAAC3NzaC1lZDI1NTE5AAAAIJxNp8v1xZQ",
            "x86_64-unknown-linux-gnu",
            "usr/local/lib/python3/site-packages",
            "",
        ] {
            assert!(!is_random(run.as_bytes(), false), "{run}");
            assert!(!is_random(run.as_bytes(), true), "{run}");
        }
    }
}
