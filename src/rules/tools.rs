//! The profiles of tools: their main arguments, the kinds of their values, and what their names and
//! annotations suggest.

vocabulary! {
    /// Kinds of main arguments, each with a grammar of its own.
    #[derive(PartialOrd, Ord)] // sorted, to leave out those that are twice
    Kind {
        /// A text without grammar.
        Text = "text",
        /// A command line.
        Shell = "shell",
        /// An absolute URL.
        Url = "url",
        /// A path in a file system.
        Path = "path",
        /// Any JSON value.
        Json = "json",
    }
}

/// The profile of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The server of the tool.
    pub server: Option<String>,
    /// The JSON pointer of the main argument.
    pub target: Option<String>,
    /// The kind of the main argument, if it was stated.
    pub kind: Option<Kind>,
    /// The kinds of other arguments, by JSON pointer.
    pub args: Vec<(String, Kind)>,
    /// The JSON pointers of ignored arguments.
    pub ignore: Vec<String>,
}

impl Profile {
    /// The kind of an argument, if the profile says it.
    pub fn kind_of(&self, pointer: &str) -> Option<Kind> {
        let is_main = self.target.as_deref() == Some(pointer);
        let named = self.args.iter().rfind(|(name, _)| name == pointer);
        named.map(|(_, kind)| *kind).or(self.kind.filter(|_| is_main))
    }
}

/// The profiles of tools by their names.
#[derive(Clone, Debug, Default)]
pub struct Profiles(Vec<(String, Profile)>);

impl Profiles {
    /// Adds the profile of a tool. The names come in ascending order, as an object of JSON has them.
    pub fn add(&mut self, name: &str, profile: Profile) {
        self.0.push((name.to_owned(), profile));
    }

    /// The profile of a tool.
    pub fn get(&self, name: &str) -> Option<&Profile> {
        let at = self.0.partition_point(|(known, _)| known.as_str() < name);
        self.0.get(at).filter(|(known, _)| known == name).map(|(_, profile)| profile)
    }
}

/// The annotations of a tool in the Model Context Protocol (specification 2025-06-18, `ToolAnnotations`). They come
/// from an untrusted server and never allow a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// `destructiveHint: true`. The other annotations could not make a judgement stricter, because a call
    /// that no rule names is not allowed anyway.
    pub destructive: bool,
}

/// Whether the name of a tool suggests that it runs commands.
pub fn sounds_like_a_shell(tool: &str) -> bool {
    const WORDS: [&str; 8] = ["bash", "shell", "command", "exec", "terminal", "powershell", "zsh", "cmd"];
    let name = tool.to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| word == "sh" || WORDS.iter().any(|known| word.contains(known)))
}

/// The kind that an argument most likely has: by a pattern for it, and by the name of the argument or of its tool.
pub fn likely_kind(name: &str, glob: &str) -> &'static str {
    if glob.contains("://") {
        "url"
    } else if sounds_like_a_shell(name) {
        "shell"
    } else if glob.contains(['/', '\\']) {
        "path"
    } else {
        "text"
    }
}

/// The JSON pointer of an argument: a pointer as it is, a name as that of a field (RFC 6901).
pub fn pointer(name: &str) -> String {
    if name.is_empty() || name.starts_with('/') {
        return name.to_owned();
    }
    step(name)
}

/// One step of a JSON pointer.
pub fn step(name: &str) -> String {
    ["/", &*name.replace('~', "~0").replace('/', "~1")].concat()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn names_that_sound_like_something() {
        for name in ["bash", "run_command", "sh", "mcp__sh", "powershell", "terminal", "exec"] {
            assert!(sounds_like_a_shell(name), "{name}");
        }
        assert!(!sounds_like_a_shell("push"));
        assert!(!sounds_like_a_shell("search"));
    }
}
