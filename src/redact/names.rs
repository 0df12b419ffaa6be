//! Whether a name marks its value as a secret: `apiKey`, `DB_PASSWORD` and `X-Auth-Token` do, `max_tokens`,
//! `author` and `token_url` do not.

use super::random::{is_random, is_uuid};

/// The secrecy of a value, judged by its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Secrecy {
    /// Not secret.
    #[default]
    Open,
    /// Secret if it was generated: `secret_id` is mostly the name of the secret.
    Generated,
    /// Secret if it is one text without blanks: a signature can also be that of a function.
    Opaque,
    /// Secret if it is a text other than a path: a session, `auth`, `pwd`.
    Weak,
    /// All texts in it are secret; numbers are not, because `tokens` may also be a count.
    Text,
    /// All texts and numbers in it are secret.
    Strong,
}

impl Secrecy {
    /// Whether a text with such a name is hidden.
    pub fn hides(self, text: &str) -> bool {
        match self {
            _ if text.is_empty() => false,
            Self::Open => false,
            Self::Generated => is_uuid(text.as_bytes()) || is_random(text.as_bytes(), true),
            Self::Opaque => text.len() >= 8 && !text.contains(char::is_whitespace),
            Self::Weak => !is_path(text) && !is_small(text) && !is_way(text),
            Self::Text => !is_number(text),
            Self::Strong => true,
        }
    }

    /// Whether a number with such a name is hidden.
    pub fn hides_number(self, digits: &str) -> bool {
        self == Self::Strong || self == Self::Weak && !is_small(digits)
    }

    /// The same, where every level that hides all texts counts as [`Strong`](Self::Strong).
    pub fn strong(self) -> Self {
        if self >= Self::Text { Self::Strong } else { self }
    }
}

/// Whether a word is in a list. As text a list is a third of what it is as code.
pub fn is_among(list: &str, word: &str) -> bool {
    list.as_bytes().split(|byte| *byte == b' ').any(|known| known == word.as_bytes())
}

/// Whether a number is too short for a secret: pin 13 is a pin of a circuit board.
fn is_small(text: &str) -> bool {
    text.len() < 4 && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b'-' | b' '))
}

/// Ways to sign in, and whether to sign in: `auth: 'none'`.
fn is_way(text: &str) -> bool {
    const WAYS: &str = "none null true false yes no on off auto always never required optional enabled disabled default \
         inherit anonymous public basic bearer digest ntlm kerberos oauth oauth2 oidc saml sso ldap iam mtls \
         jwt token apikey api-key api_key password session cookie login logout user admin new current \
         same-origin include omit";
    text.len() <= 12 && is_among(WAYS, &text.to_ascii_lowercase())
}

/// Whether the text is a cryptocurrency or a contract; these are called tokens too.
pub fn is_coin(name: &str, text: &str) -> bool {
    let is_symbol = matches!(text.len(), 2..=6) && text.bytes().all(|byte| byte.is_ascii_uppercase());
    let is_address = text.len() == 42
        && text.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
    const COINS: &str = "token tokens token_in token_out in_token out_token from_token to_token token_from token_to \
         sell_token buy_token base_token quote_token pay_token fee_token gas_token payment_token reward_token \
         token_a token_b";
    (is_symbol || is_address) && is_among(COINS, Words::new(name).as_str())
}

/// Whether the text begins like a path.
pub fn is_path(text: &str) -> bool {
    text.starts_with(['/', '~', '.']) || text.get(1..3).is_some_and(|drive| drive == ":\\" || drive == ":/")
}

/// Parts that are looked for anywhere in a name, even where words are joined, listed by first letter to save
/// comparisons.
fn parts(first: u8) -> &'static [&'static str] {
    match first {
        b'a' => {
            &["apikey", "accesskey", "accesstoken", "accountkey", "authkey", "authtoken", "authorization"]
        }
        b'c' => &["connectionstring", "cookie", "credential"],
        b'e' => &["encryptionkey"],
        b'm' => &["masterkey"],
        b'p' => {
            &["passcode", "passkey", "passphrase", "passwd", "password", "passwort", "privatekey", "privkey"]
        }
        b'r' => &["refreshtoken"],
        b's' => &[
            "secret",
            "servicekey",
            "sessid",
            "sessionid",
            "sessionkey",
            "sessiontoken",
            "sharedaccess",
            "sharedkey",
            "signingkey",
        ],
        _ => &[],
    }
}

/// Words that make a name that of a secret.
fn is_strong(word: &str) -> bool {
    is_among("token jwt bearer otp totp cvv cvc ssn psk creds cred csrf xsrf pswd", word)
}

/// Words that do so unless the name means something else.
fn is_weak(word: &str) -> bool {
    is_among("auth oauth session sid pass pin pwd mfa", word)
}

/// Words that also occur in names of texts about functions or people.
fn is_opaque(word: &str) -> bool {
    is_among("sig signature hmac", word)
}

/// Last words that make the name one of something about a secret.
fn is_about(word: &str) -> bool {
    is_among(
        "address age algorithm amount balance decimals supply symbol arn at attempts budget class column \
         configured count created date description dir domain duration enabled encoding end endpoint exists \
         expiration expired expires expiry field filename folder format host in index kind label len \
         length level limit manager max method min mode name policy prefix provider ref region required \
         rotation scheme scope scopes size start state status stdin prompt fd timeout title ttl type updated \
         version",
        word,
    )
}

/// Whether the value with such a name is run, or leads somewhere: that matters for the decision, so no name hides it. The
/// words may be joined, as in `passwordeval`.
pub fn acts(name: &str) -> bool {
    let words = Words::new(name);
    let mut ends =
        "command commands cmd eval exec executable file helper path process program script scripts uri url"
            .split(' ');
    ends.any(|end| words.as_str().ends_with(end))
}

/// Words that, together with `token`, name something that is counted, split or rotated.
fn is_counted(word: &str) -> bool {
    is_among(
        "audio bos budget cache cached completion context continuation count eos generated image input limit \
         max min new next num output pad page per prediction prompt reasoning remaining special stop thinking \
         total used",
        word,
    )
}

/// Last words of names whose value is a random identifier.
fn is_identifying(word: &str) -> bool {
    is_among(
        "id ids uuid guid hash sha digest checksum integrity etag commit revision rev ref path paths file \
         files url uri urls host name cursor to from address addresses recipient recipients sender receiver \
         payee beneficiary wallet account contract spender owner mint iban destination target tx txid",
        word,
    )
}

/// Words before `key` in the names of keys that unlock nothing.
fn is_of_data(word: &str) -> bool {
    is_among(
        "primary foreign sort partition hash range cache public row composite unique index group object \
         lookup translation registry hot natural storage map dict json query event routing message \
         idempotency file path s3 config feature project issue metadata label tag field column data state \
         shard dedupe release host pub known on press arrow return backup build artifact job",
        word,
    )
}

/// The words of a name in lower case, separated by underscores, in a buffer on the stack, because texts
/// contain thousands of names.
struct Words {
    bytes: [u8; 96],
    length: usize,
}

impl Words {
    /// Splits where a lower-case letter meets a capital, before the last of several capitals, and at
    /// everything that is not a letter. Of a very long name only the end counts.
    fn new(name: &str) -> Self {
        let mut words = Self { bytes: [0; 96], length: 0 };
        let bytes = name.as_bytes();
        let bytes = bytes.get(bytes.len().saturating_sub(48)..).unwrap_or(bytes);
        let mut last = b'_';
        for (at, &byte) in bytes.iter().enumerate() {
            if !byte.is_ascii_alphabetic() {
                words.cut();
                last = b'_';
                continue;
            }
            let next_is_small = bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            if byte.is_ascii_uppercase()
                && (last.is_ascii_lowercase() || last.is_ascii_uppercase() && next_is_small)
            {
                words.cut();
            }
            words.push(byte.to_ascii_lowercase());
            last = byte;
        }
        if words.ends_in_a_cut() {
            words.length -= 1;
        }
        words
    }

    fn cut(&mut self) {
        if self.length > 0 && !self.ends_in_a_cut() {
            self.push(b'_');
        }
    }

    fn ends_in_a_cut(&self) -> bool {
        self.length.checked_sub(1).and_then(|last| self.bytes.get(last)) == Some(&b'_')
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    fn as_str(&self) -> &str {
        self.bytes.get(..self.length).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// All words joined.
    fn joined(&self) -> Self {
        let mut joined = Self { bytes: [0; 96], length: 0 };
        self.as_str().bytes().filter(|byte| *byte != b'_').for_each(|byte| joined.push(byte));
        joined
    }
}

/// The secrecy that the name indicates.
pub fn secrecy(name: &str) -> Secrecy {
    if !is_hinted(name) {
        return Secrecy::Open;
    }
    let whole = Words::new(name);
    let words = whole.as_str();
    let last = words.rsplit('_').next().unwrap_or_default();
    let several = words.len() > last.len();
    if several && is_about(last) || acts(name) {
        return Secrecy::Open;
    }
    if last == "id" {
        let of = words.rsplit('_').nth(1).unwrap_or_default();
        if matches!(of, "secret" | "token" | "credential" | "password" | "passkey") {
            return Secrecy::Generated;
        }
    }
    let among = |is: fn(&str) -> bool| words.split('_').any(is);
    let joined = whole.joined();
    let joined = joined.as_str();
    let is_part = |(at, first): (usize, u8)| {
        let rest = joined.get(at..).unwrap_or_default();
        parts(first).iter().any(|part| rest.starts_with(part)) && !rest.starts_with("secretar")
    };
    if joined.bytes().enumerate().any(is_part) {
        return Secrecy::Strong;
    }
    let of_tokens = words.split('_').any(|word| word.ends_with("token") || word == "tokens");
    if of_tokens && !among(is_counted) {
        return if last == "tokens" { Secrecy::Text } else { Secrecy::Strong };
    }
    if among(is_strong) && !of_tokens {
        Secrecy::Strong
    } else if is_weak(last) || several && among(is_weak) && matches!(last, "id" | "code" | "key") {
        Secrecy::Weak
    } else if words == "sshpass" && is_constant(name) {
        // In lower case it is the name of the program.
        Secrecy::Strong
    } else if is_opaque(last) || last == "key" && several && is_constant(name) && !among(is_of_data) {
        // `OPENAI_KEY`
        Secrecy::Opaque
    } else {
        Secrecy::Open
    }
}

/// Whether the name is in capitals, like that of an environment variable.
pub fn is_constant(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Whether the name could be that of a secret. Three letters rule out most names, in a fraction of the time.
fn is_hinted(name: &str) -> bool {
    let hinted = |three: &[u8]| {
        let &[one, two, three] = three else { return false };
        #[rustfmt::skip]
        let is_beginning = matches!(&[one | 0x20, two | 0x20, three | 0x20],
            b"pas" | b"psk" | b"psw" | b"pin" | b"pwd" | b"pri" | b"sec" | b"ses" | b"sid" | b"sig" | b"ssn"
            | b"sha" | b"key" | b"tok" | b"tot" | b"cre" | b"coo" | b"con" | b"csr" | b"cvv" | b"cvc" |
            b"aut" | b"jwt" | b"bea" | b"otp" | b"hma" | b"mfa" | b"xsr");
        is_beginning
    };
    name.as_bytes().windows(3).any(hinted)
}

/// Whether the value with such a name is a random identifier rather than a secret.
pub fn identifies(name: &str) -> bool {
    let words = Words::new(name);
    words.as_str().rsplit('_').next().is_some_and(is_identifying)
}

/// Whether a long generated text with such a name is a key, and no content.
pub fn names_a_key(name: &str) -> bool {
    let words = Words::new(name);
    let words = words.as_str();
    words.ends_with("key") && !words.split('_').any(is_of_data) || secrecy(name) > Secrecy::Open
}

/// Whether the text with such a name is a path.
pub fn names_a_path(name: &str, text: &str) -> bool {
    let words = Words::new(name);
    let is_line = || !text.contains(['\n', '\r']);
    match words.as_str().rsplit('_').next() {
        Some(
            "path" | "paths" | "pathname" | "filename" | "filepath" | "dir" | "directory" | "folder" | "cwd"
            | "root",
        ) => is_line(),
        Some("file" | "files" | "source" | "src" | "destination" | "dest" | "target") => {
            is_line() && text.contains(['/', '\\']) && !text.contains([' ', '\t'])
        }
        _ => false,
    }
}

/// Whether a field of this name holds the name of another field's content.
pub fn is_for_a_name(name: &str) -> bool {
    is_among("name key header variable var env parameter", Words::new(name).as_str())
}

/// Whether it names a form field, as a person or a program refers to it.
pub fn is_for_a_field(name: &str) -> bool {
    is_among("field label selector element placeholder", Words::new(name).as_str())
}

/// Whether a field of this name holds content that another field names.
pub fn is_for_a_value(name: &str) -> bool {
    is_among("value values val default", Words::new(name).as_str())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets() {
        for name in "password Password PASSWORD passwd db_password DB_PASSWORD dbPassword userpassword password1 \
            pass_word secret client_secret clientSecret client-secret CLIENT_SECRET token accessToken \
            access_token authtoken X-Auth-Token refresh-token id_token api_key apiKey api-key APIKey APIKEY \
            APIkey X-API-Key apikey api_keys authorization Authorization Proxy-Authorization cookie Set-Cookie \
            cookies private_key privateKey privateKeyPem access_key AWSSecretAccessKey AWS_ACCESS_KEY_ID \
            credentials credential creds passphrase otp totp cvv jwt bearer connectionString PHPSESSID \
            JSESSIONID session_token sessionId secretKey csrf_token oauth2Token X-Amz-Security-Token \
            X-Amz-Credential spring.datasource.password input[name=password] user.password xsrf ssn \
            encryption_key SharedAccessKey tokenSecret"
            .split(' ')
        {
            assert_eq!(secrecy(name), Secrecy::Strong, "{name}");
        }
        for name in ["auth", "session", "pin", "pwd", "user_pass", "sid", "pin_code"] {
            assert_eq!(secrecy(name), Secrecy::Weak, "{name}");
        }
        for name in ["tokens", "device_tokens", "apiTokens"] {
            assert_eq!(secrecy(name), Secrecy::Text, "{name}");
        }
        assert_eq!(secrecy("X-Amz-Signature"), Secrecy::Opaque);
    }

    #[test]
    fn names_of_no_secrets() {
        for name in "max_tokens maxTokens MAX_TOKENS input_tokens tokenizer tokenize author authors keyboard key keys \
            passage passenger compass bypass pinned spin opinion secretary token_count tokenUrl token_type \
            secretName password_file page_token nextPageToken monkey hockey a id name authority desktop \
            keyword primary_key foreignKey session_name tokens_used cookie_domain signatures_count assign \
            design passed password_policy expires_in stop_token tank credit"
            .split(' ')
        {
            assert_eq!(secrecy(name), Secrecy::Open, "{name}");
        }
    }

    #[test]
    fn a_number_may_be_a_count() {
        assert!(
            !Secrecy::Text.hides_number("4096") && !Secrecy::Text.hides("4096") && Secrecy::Text.hides("abc")
        );
        assert!(Secrecy::Weak.hides_number("1234") && !Secrecy::Weak.hides_number("13"));
        assert!(!Secrecy::Weak.hides("/home/me") && Secrecy::Weak.hides("hunter2"));
    }
}
