//! Secrets among the words of a command: after `--password`, and after the short flags of known programs.

use super::names::Secrecy;

/// How a program takes a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The rest of the word, or the next word.
    Word,
    /// The same, after the colon: a name and a password.
    Pair,
}

/// Short flags for secrets, and how they are taken. Elsewhere `-p` is a port or a path.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    flags: &'static [&'static str],
    takes: Takes,
}

impl Program {
    /// The program of this name, if it takes secrets by short flags.
    pub fn named(word: &str) -> Option<Self> {
        // Every word of a long text is asked for.
        if !matches!(
            word.as_bytes().first()?,
            b'7' | b'b' | b'c' | b'h' | b'i' | b'l' | b'm' | b'r' | b's' | b't' | b'u' | b'w' | b'x' | b'z'
        ) {
            return None;
        }
        let flags: &[&str] = match word {
            "mysql" | "mysqldump" | "mysqladmin" | "mysqlimport" | "mysqlcheck" | "mysqlshow" | "mariadb"
            | "mariadb-dump" | "sshpass" | "login" | "mongo" | "mongosh" | "mongodump" | "mongorestore"
            | "twine" | "7z" | "7za" | "7zr" | "7zz" | "rar" | "unrar" => &["-p"],
            "zip" | "unzip" | "sqlcmd" | "bcp" | "mosquitto_pub" | "mosquitto_sub" => &["-P"],
            "redis-cli" | "iredis" => &["-a"],
            "ldapsearch" | "ldapmodify" | "ldapadd" | "ldapdelete" | "ldapwhoami" => &["-w"],
            "curl" | "wcurl" | "curlie" => &["-u", "--user", "-U", "--proxy-user"],
            "http" | "https" | "xh" => &["-a", "--auth"],
            "smbclient" | "rpcclient" => &["-U"],
            _ => return None,
        };
        let is_pair = matches!(word.as_bytes().first(), Some(b'c' | b'h' | b'x')) || flags == ["-U"];
        Some(Self { flags, takes: if is_pair { Takes::Pair } else { Takes::Word } })
    }

    /// What a flag takes, and how many characters of the word are the flag.
    pub fn flag(self, word: &str) -> Option<(Takes, usize)> {
        let is = |flag: &&&str| word == **flag || flag.len() == 2 && word.starts_with(**flag);
        self.flags.iter().find(is).map(|flag| (self.takes, flag.len()))
    }
}

/// The arguments of a command as a list, one after the other.
#[derive(Debug, Default)]
pub struct Arguments {
    program: Option<Program>,
    next: Secrecy,
}

impl Arguments {
    /// How secret the next argument is by those before it. A flag is asked what it names.
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
            _ if !word.contains(['=', ' ']) => self.next = named(word),
            _ => {}
        }
        // What follows a flag may be a flag again.
        Secrecy::Open
    }
}
