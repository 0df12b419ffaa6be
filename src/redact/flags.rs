//! Secrets among the words of a command: after `--password`, and after the short flags of known programs.

use super::names::Secrecy;

/// The way in which a flag takes a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// From the rest of the word, or the next word.
    Word,
    /// From the same place, after the colon: a name and a password.
    Pair,
}

/// The short flags with which a program takes secrets. In other programs `-p` is a port or a path.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    flags: &'static [&'static str],
    /// Short flags without a value, which may precede a flag with a secret in the same word.
    switches: &'static str,
    takes: Takes,
}

impl Program {
    /// A command that stores secrets, such as `gh secret set`: its arguments are secrets.
    pub const KEEPER: Self =
        Self::new(&["-b", "--body", "--value", "--from-literal", "--secret-string"], "", Takes::Word);

    const fn new(flags: &'static [&'static str], switches: &'static str, takes: Takes) -> Self {
        Self { flags, switches, takes }
    }

    /// The program of this name, if it takes secrets by short flags.
    #[inline(always)]
    pub fn named(word: &str) -> Option<Self> {
        if !has_length(&LENGTHS, word) {
            return None;
        }
        PROGRAMS.iter().find(|(names, _)| names.contains(&word)).map(|(_, program)| *program)
    }

    /// Whether this is [`Self::KEEPER`].
    pub fn keeps_secrets(self) -> bool {
        self.flags.len() == Self::KEEPER.flags.len()
    }

    /// The way in which a flag takes its secret, and the length of the flag within the word.
    pub fn flag(self, word: &str) -> Option<(Takes, usize)> {
        if word.starts_with("--") {
            return self.flags.contains(&word).then_some((self.takes, word.len()));
        }
        let bytes = word.as_bytes();
        for (at, byte) in bytes.iter().enumerate().skip(1) {
            if self.flags.iter().any(|flag| flag.len() == 2 && flag.as_bytes().last() == Some(byte)) {
                return Some((self.takes, at + 1));
            }
            if !self.switches.as_bytes().contains(byte) {
                break;
            }
        }
        None
    }
}

/// The programs that take secrets by short flags.
const PROGRAMS: &[(&[&str], Program)] = &[
    (
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mysqlimport",
            "mysqlcheck",
            "mysqlshow",
            "mariadb",
            "mariadb-dump",
        ],
        Program::new(&["-p"], "ABbCEfGHiLNnqrstvVwX", Takes::Word),
    ),
    (
        &[
            "sshpass",
            "login",
            "mongo",
            "mongosh",
            "mongodump",
            "mongorestore",
            "twine",
            "7z",
            "7za",
            "7zr",
            "7zz",
            "rar",
            "unrar",
        ],
        Program::new(&["-p"], "", Takes::Word),
    ),
    (&["zip", "unzip"], Program::new(&["-P"], "0123456789CTXejlmnoqruvy", Takes::Word)),
    (&["sqlcmd", "bcp", "mosquitto_pub", "mosquitto_sub"], Program::new(&["-P"], "", Takes::Word)),
    (&["redis-cli", "iredis"], Program::new(&["-a"], "", Takes::Word)),
    (
        &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami"],
        Program::new(&["-w"], "LZnvxc", Takes::Word),
    ),
    (
        &["curl", "wcurl", "curlie"],
        Program::new(&["-u", "--user", "-U", "--proxy-user"], "012346BGIJLMNORSZafgijklnpqsv", Takes::Pair),
    ),
    (&["http", "https", "xh"], Program::new(&["-a", "--auth"], "", Takes::Pair)),
    (&["smbclient", "rpcclient"], Program::new(&["-U"], "LNkq", Takes::Pair)),
];

/// For each first letter, the lengths of the program names that begin with it.
const LENGTHS: [u32; 32] = {
    let mut known = [0; 32];
    let mut at = 0;
    while at < PROGRAMS.len() {
        known = lengths(PROGRAMS[at].0, known);
        at += 1;
    }
    known
};

/// For each first letter, the lengths of the words that begin with it, added to those already known.
pub const fn lengths(words: &[&str], mut known: [u32; 32]) -> [u32; 32] {
    let mut at = 0;
    while at < words.len() {
        let word = words[at].as_bytes();
        known[(word[0] & 0x1f) as usize] |= 1 << word.len();
        at += 1;
    }
    known
}

/// Whether a word begins with a letter and has a length for which the table has a word. This is asked about every word of
/// a long text.
#[inline(always)]
pub fn has_length(known: &[u32; 32], word: &str) -> bool {
    word.as_bytes()
        .first()
        .is_some_and(|first| known[usize::from(first & 0x1f)] >> word.len().min(31) & 1 == 1)
}

/// Whether the name of a flag shows that it takes no value: `--no-session rm` runs `rm`.
pub fn is_switch(flag: &str) -> bool {
    let name = flag.trim_start_matches('-');
    ["no-", "show-", "skip-", "without-", "disable-", "enable-", "allow-", "print-", "require-", "reset-"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// The arguments of a command, given as a list.
#[derive(Debug, Default)]
pub struct Arguments {
    program: Option<Program>,
    next: Secrecy,
}

impl Arguments {
    /// The secrecy of the next argument, judged by those before it. `named` returns the secrecy of a flag's
    /// name.
    pub fn next(&mut self, word: &str, named: impl Fn(&str) -> Secrecy) -> Secrecy {
        let secrecy = std::mem::take(&mut self.next);
        let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        if let Some(program) = Program::named(name) {
            self.program = Some(program);
        }
        if !word.starts_with('-') {
            return secrecy;
        }
        match self.program.and_then(|program| program.flag(word)) {
            Some((_, length)) if word.len() == length => self.next = Secrecy::Strong,
            Some((Takes::Word, _)) => return Secrecy::Strong,
            Some((Takes::Pair, _)) if word.contains(':') => return Secrecy::Strong,
            _ if !is_switch(word) => self.next = named(word),
            _ => {}
        }
        // A flag can be followed by another flag.
        Secrecy::Open
    }
}
