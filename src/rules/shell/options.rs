//! The effects of a program's arguments: options that run another program, and options and operands that write a file.
//! A wildcard of an allowance covers neither; a denial looks for commands behind those that run something.
//!
//! Each line names commands, the letters of their short options (`-` for none), and the names of the others. The
//! manual page or the program whose help says so is named above it. A name can be abbreviated up to the slash in it,
//! because what is shorter is another option (`tar --list`, `jest --coverage`). A name with a star stands for all that begin or end like
//! it, also behind one hyphen; one after `=` is a pattern for the whole argument. A list is never complete, so some
//! names count for every command.

use super::words;
use crate::core::sort::sort_by;
use crate::rules::glob::Glob;
use crate::rules::unicode::folded;
use std::sync::OnceLock;

/// Parts of names that mean a program for every command, with the slash up to which they can be abbreviated.
const RUNS_ALWAYS: &str = "exe/c comm/and cmd eva/l prog/ram she/ll pager edito/r hoo/k prel/oad";

/// Names that mean a file for every command.
const WRITES_ALWAYS: &str = "out-file outfile output-file output_file outputfile out-dir outdir output-dir output-directory log-file logfile \
     report-file report-path";

/// Options that pass what follows to a program.
static RUNS: Table = Table::of(concat!(
    // gcc(1), clang(1)
    "gcc cc clang g++ c++ clang++ gfortran:B:wrapper* fplugin* specs* fuse-ld* load*\n",
    "rustc:C:codegen\n",
    // find(1), fd(1)
    "find:-:ok* delete* fprint* fls*\n",
    "fd fdfind:xX:exec exec-batch\n",
    // git(1), and each of its commands
    "git:cO:exec upload-pack receive-pack ext-diff textc/onv open-files-in-pager config-env *-filter *-callback\n",
    // tar(1), cpio(1), zip(1), split(1), sort(1)
    "tar bsdtar gtar:IF:to-command checkpoint-action use-compress-program info-script new-volume-script rsh-command \
     rmt-command\n",
    "cpio:-:rsh-command\n",
    "zip:T:unzip-command\n",
    "split:-:filter\n",
    "sort:-:compress-program\n",
    // rsync(1), scp(1), sftp(1)
    "rsync:e:rsh rsync-path\n",
    "scp:So:-\n",
    "sftp:SDo:-\n",
    // rg(1), fzf(1)
    "rg:-:pre hostname-bin\n",
    "fzf sk:-:preview bind\n",
    // the manual of bash
    "printf:v:-\n",
    "compgen:CFW:-\n",
    // curl(1), wget(1)
    "curl:K:config\n",
    "wget wget2:e:config execute use-askpass\n",
    // man(1)
    "man:PHX:pager html preprocessor\n",
    // hg(1), svn, cvs(1)
    "hg:-:config config-file\n",
    "svn:-:config-option\n",
    "cvs:e:-\n",
    "helm:-:post-renderer\n",
    "bazel bazelisk:-:run_under run-under\n",
    // go help build, go help vet
    "go:-:toolexec* vettool* exec*\n",
    "gpg gpg2:-:photo-viewer\n",
    // nmap(1), tcpdump(8), pidstat(1)
    "nmap:-:script\n",
    "tcpdump:z:-\n",
    "pidstat:e:-\n",
    // dpkg(1), apt-get(8)
    "dpkg apt apt-get:o:option post-invoke pre-invoke\n",
    "make gmake:fE:file makefile eval =*=*\n",
    "npm pnpm yarn:c:call\n",
    "cargo:-:config\n",
    // exiftool(1): conditions, formats and configurations are programs in Perl
    "exiftool:-:if* config api* p printformat\n",
    // pandoc(1), openssl(1), tshark(1), protoc, rpm(8), borg, restic, ip(8)
    "pandoc:FL:filter lua-filter pdf-engine\n",
    "openssl:-:engine provider\n",
    "tshark:X:-\n",
    "protoc:-:plugin\n",
    "rpm:-:pipe\n",
    "borg:-:rsh remote-path\n",
    "restic:o:option\n",
    "ip:b:batch\n",
    // kubectl, helm: a configuration names programs that sign in
    "kubectl oc helm:-:kubeconfig\n",
    // eslint, prettier, stylelint, rubocop, pylint, mocha, rspec: plug-ins, formats and configurations are programs
    "eslint:cf:config format rulesdir parser plugin\n",
    "prettier:-:config plugin\n",
    "stylelint:cf:config formatter custom-formatter custom-syntax\n",
    "rubocop mocha rspec:r:require\n",
    "pylint:-:load-plugins\n",
    // jest, vitest, pytest
    "jest vitest:c:config globalse/tup global-/setup globalt/eardown setup* runn/er testr/unner environment \
     teste/nvironment reporter* resolver trans/form preset coverage./customprovidermodule\n",
    "pytest py.test:pco:conf/ig-file override-ini pdbc/ls\n",
    // cmake(1), ctest(1), make(1), ninja, rake, gradle, mvn, bazel: another build
    "cmake:P:-\n",
    "ctest:S:script\n",
    "make gmake:C:directory\n",
    "ninja rake:fC:rakefile\n",
    "gradle gradlew:Ibc:init-script build-file settings-file\n",
    "mvn mvnw:f:file\n",
    "bazel bazelisk:-:bazelrc\n",
    "curl:-:engine\n",
    "npm npx pnpm yarn:-:node-options\n",
));

/// Options and operands that write a file, or change the system.
static WRITES: Table = Table::of(concat!(
    // sort(1), shuf(1), base64(1) of macOS, iconv(1), updatedb(8)
    "sort shuf base64 iconv updatedb:o:output\n",
    // tree(1)
    "tree:o:output\n",
    // git-diff(1), git-log(1), git-fast-export(1)
    "git:-:output export-marks\n",
    // tar(1): a snapshot and an index are written, and files that were added are removed
    "tar gtar bsdtar:g:index-file listed/-incremental remove-files\n",
    // curl(1)
    "curl:oOJDc:output remote-name remote-name-all remote-header-name dump-header cookie-/jar trace trace-ascii stderr \
     libcurl etag-save hsts alt-svc create-dirs\n",
    // wget(1)
    "wget wget2:OoaP:output-document append-output directory-prefix save-cookies hsts-file warc-file rejected-log\n",
    // http(1) of HTTPie, xh(1)
    "http https xh xhs:od:output download session\n",
    // file(1): compiles a magic file
    "file:C:compile\n",
    // journalctl(1): the cursor is written, and vacuuming deletes
    "journalctl:-:cursor-/file vacuum-size vacuum-time vacuum-files rotate\n",
    // sdiff(1), patch(1)
    "sdiff patch:o:output\n",
    // yq(1) by Mike Farah
    "yq:is:inplace in-place split-exp\n",
    // mlr(1)
    "mlr:I:=tee =split\n",
    // xsv, qsv
    "xsv qsv:o:output =split =index =partition\n",
    // xmllint(1), xsltproc(1)
    "xmllint xsltproc:o:output\n",
    // tidy(1)
    "tidy:mof:modify output file\n",
    // pandoc(1)
    "pandoc:o:output extract-media log\n",
    // gcc(1), clang(1): a program is what they are called for, so `-o` is not among these
    "gcc cc clang g++ c++ clang++ gfortran rustc:-:mf dumpdir save-temps aux-info out-dir\n",
    // go help build, go help testflag, go help env
    "go:-:o w u coverprofile cpuprofile memprofile blockprofile mutexprofile trace outputdir\n",
    // gofmt, goimports
    "gofmt goimports:-:w cpuprofile\n",
    // docker-buildx-build(1), docker-save(1), docker-run(1)
    "docker podman nerdctl buildah:o:output iidfile cidfile metadata-file\n",
    // kubectl
    "kubectl oc:-:cache-dir profile-output\n",
    // terraform plan, tofu plan
    "terraform tofu:-:out state-out backup generate-config-out\n",
    // dd(1)
    "dd:-:=of=*\n",
    // exiftool(1): each tag with a value is written
    "exiftool:-:o w tagsfromfile overwrite_original* restore_original delete_original* geotag =-*=*\n",
    // openssl(1)
    "openssl:-:out keyout writerand caserial\n",
    // gpg(1)
    "gpg gpg2:o:output status-file attribute-file logger-file\n",
    // rsync(1)
    "rsync:b:write-batch only-write-batch remove-source-files backup-dir temp-dir partial-dir\n",
    // zip(1), zstd(1)
    "zip:O:logfile-path\n",
    "zstd:o:output-dir-flat output-dir-mirror rm\n",
    // ffprobe(1), ffmpeg(1)
    "ffprobe ffmpeg:-:o report progress passlogfile vstats_file dump_attachment\n",
    // identify(1), convert(1) of ImageMagick
    "identify convert magick compare montage:-:write\n",
    // mysqldump(1), pg_dump(1), mongoexport(1)
    "mysqldump:rT:result-file tab\n",
    "pg_dump pg_dumpall:f:file\n",
    "mongoexport mongodump:o:out\n",
    // tcpdump(1), tshark(1), nmap(1)
    "tcpdump:w:write\n",
    "tshark dumpcap:w:export-objects\n",
    "nmap:o:-\n",
    // ss(8), sar(1), blkid(8), dmidecode(8), dmesg(1), date(1), sysctl(8)
    "ss:D:diag\n",
    "sar:o:-\n",
    "blkid:c:cache-file\n",
    "dmidecode:-:dump-bin\n",
    "dmesg:cCnDE:clear read-clear console-level console-off console-on\n",
    "date:s:set\n",
    "sysctl:wp:write load system =*=*\n",
    // dot(1) of Graphviz
    "dot neato circo fdp sfdp twopi:oO:-\n",
    // pip(1)
    "pip pip3:-:log report\n",
    // pytest(1)
    "pytest py.test:-:junitxml junit-xml basetemp cov-/report resultlog\n",
    // eslint, stylelint, prettier, biome
    "eslint stylelint:o:fix cache-location init\n",
    "prettier:w:write cache-location\n",
    "biome:-:write fix apply apply-unsafe\n",
    // standard, xo, oxlint, textlint, markdownlint, swiftlint, rubocop, shfmt, autopep8, yapf
    "standard xo oxlint textlint markdownlint markdownlint-cli2 swiftlint:-:fix\n",
    "rubocop:aAxo:autocorrect autocorrect-all auto-correct auto-correct-all fix-layout out auto-gen-config\n",
    "shfmt:w:write\n",
    "autopep8 yapf:i:in-place\n",
    // tsc
    "tsc:-:declarationdir tsbuildinfofile generatetrace generatecpuprofile init build b\n",
    // jest, vitest
    "jest vitest:u:coverage-/directory coveraged/irectory coverage./reportsdirectory updatesnapshot update\n",
    // ruff, golangci-lint, clang-tidy, clang-format, cargo-clippy, semgrep
    "ruff:o:fix unsafe-fixes add-noqa\n",
    "golangci-lint:-:fix cpu-profile-path mem-profile-path trace-path\n",
    "clang-tidy:-:fix fix-errors fix-notes export-fixes\n",
    "clang-format:i:-\n",
    "cargo:-:fix target-/dir artifact-dir\n",
    "semgrep:oa:output autofix\n",
    // mypy
    "mypy:-:html-report xml-report txt-report junit-xml cache-dir install-types\n",
    // trivy
    "trivy:o:output\n",
    // ctest(1), cmake(1)
    "ctest:O:output-log output-junit\n",
    "cmake:-:graphviz trace-redirect\n",
    // mvn
    "mvn:l:-\n",
    // hg(1)
    "hg:o:output\n",
    // protoc
    "protoc:o:*_out\n",
    // openssl(1), curl(1), eslint
    "openssl:-:sess_out keylogfile\n",
    "curl:-:ssl-/sessions\n",
    "eslint:-:suppress-all suppress-rule suppressions-location\n",
    // cloc(1), scc, ncdu(1), diffstat(1), nvidia-smi, xmlstarlet(1), sops
    "cloc:-:out\n",
    "scc ncdu diffstat:o:output\n",
    "nvidia-smi:f:filename\n",
    "xmlstarlet xml:L:inplace\n",
    "sops:i:in-place output\n",
));

/// Programs that write to an operand: the letters of the options that take a value, and the number of operands that are
/// only read.
static OPERANDS: Table = Table::of(concat!(
    // uniq(1), xxd(1)
    "uniq:fsw:1\n",
    "xxd:cgls:1\n",
    // pdftotext(1), ps2ascii(1)
    "pdftotext ps2ascii:-:1\n",
    // hostname(1), date(1): an operand sets it
    "hostname:-:0\n",
    "date:dr:0\n",
));

/// Lines of a list, found by the name of a command.
struct Table {
    text: &'static str,
    rows: OnceLock<Vec<(&'static str, Row)>>,
}

/// The letters and the names of one line.
type Row = (&'static str, &'static str);

impl Table {
    const fn of(text: &'static str) -> Self {
        Self { text, rows: OnceLock::new() }
    }

    fn rows(&self) -> &[(&'static str, Row)] {
        self.rows.get_or_init(|| {
            let mut rows = Vec::new();
            for line in self.text.lines() {
                let Some((commands, options)) = line.split_once(':') else { continue };
                let Some(row) = options.split_once(':') else { continue };
                rows.extend(commands.split(' ').map(|command| (command, row)));
            }
            sort_by(&mut rows, |(a, _), (b, _)| a < b);
            rows
        })
    }

    /// The lines of a command.
    fn rows_of(&self, command: &str) -> impl Iterator<Item = Row> {
        let rows = self.rows();
        let from = rows.partition_point(|(known, _)| *known < command);
        rows[from..].iter().take_while(move |(known, _)| *known == command).map(|(_, row)| *row)
    }
}

/// A program, and what is known of its arguments.
#[derive(Debug, Default)]
pub(super) struct Program {
    /// Its name, without directory and suffix, in one letter case.
    pub name: String,
    runs: Vec<Row>,
    writes: Vec<Row>,
    operands: Vec<Row>,
}

impl Program {
    /// The program that a command names.
    pub fn of(command: &str) -> Self {
        let name = words::name(command);
        let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
        // x86_64-linux-gnu-gcc
        let tool = bare.rsplit('-').next().unwrap_or_default();
        let compilers = ["gcc", "cc", "g++", "c++", "gfortran", "clang", "clang++"];
        let mut names = vec![&*name];
        if bare != name {
            names.push(bare);
        }
        if tool != bare && compilers.contains(&tool) {
            names.push(tool);
        }
        let rows = |table: &'static Table| names.iter().flat_map(|name| table.rows_of(name)).collect();
        let (runs, writes, operands) = (rows(&RUNS), rows(&WRITES), rows(&OPERANDS));
        Self { runs, writes, operands, name }
    }

    /// Whether an option of this name passes what follows to a program.
    pub fn runs(&self, argument: &str) -> bool {
        if names_whole(&self.runs, argument) {
            return true;
        }
        let Some(option) = Flag::of(argument) else { return false };
        let always = RUNS_ALWAYS.split(' ').any(|part| {
            let (least, rest) = part.split_once('/').unwrap_or((part, ""));
            let behind = |at| option.name.get(at..).and_then(|name| name.strip_prefix(least));
            (0..option.name.len())
                .filter_map(behind)
                .any(|more| more.starts_with(rest) || option.is_long && rest.starts_with(more))
        });
        always || option.is_one_of(&self.runs)
    }

    /// Whether an argument writes a file.
    pub fn writes(&self, argument: &str) -> bool {
        if names_whole(&self.writes, argument) {
            return true;
        }
        let Some(option) = Flag::of(argument) else { return false };
        WRITES_ALWAYS.split(' ').any(|always| always == option.name) || option.is_one_of(&self.writes)
    }

    /// Whether an operand is written.
    pub fn writes_operand(&self, arguments: &[String]) -> bool {
        self.operands.iter().any(|(letters, most)| {
            let (mut operands, mut is_value, mut only) = (0, false, false);
            for argument in arguments {
                let option = argument.strip_prefix('-').filter(|rest| !rest.is_empty() && !only);
                match option {
                    _ if std::mem::take(&mut is_value) => {}
                    Some(option) => {
                        only = option == "-";
                        is_value = !option.starts_with('-') && option.ends_with(|c| letters.contains(c));
                    }
                    None => operands += 1,
                }
            }
            most.parse().is_ok_and(|most: usize| operands > most)
        })
    }
}

/// Whether one of the lines has a pattern for the whole argument.
fn names_whole(rows: &[Row], argument: &str) -> bool {
    let mut names = rows.iter().flat_map(|(_, names)| names.split(' '));
    names.any(|name| name.strip_prefix('=').is_some_and(|glob| Glob::new(glob).matches(argument)))
}

/// An argument that begins with a hyphen.
struct Flag<'a> {
    /// The text behind the first hyphen.
    stripped: &'a str,
    is_long: bool,
    /// Its name, in one letter case.
    name: String,
}

impl<'a> Flag<'a> {
    /// Reads an argument; `None` if it is no option, or one that switches something off.
    fn of(argument: &'a str) -> Option<Self> {
        let stripped = argument.strip_prefix('-')?;
        let name = stripped.trim_start_matches('-').split('=').next().unwrap_or_default();
        let name = folded(name);
        (!name.is_empty() && !name.starts_with("no-")).then_some(Self {
            stripped,
            is_long: stripped.starts_with('-'),
            name,
        })
    }

    /// Whether one of the lines names it. Long options can be abbreviated, so the beginning of a name counts as the
    /// name.
    fn is_one_of(&self, rows: &[Row]) -> bool {
        let name = self.name.as_str();
        rows.iter().any(|(letters, names)| {
            let means = |known: &str| {
                if let Some(begin) = known.strip_suffix('*') {
                    return name.starts_with(begin);
                }
                if let Some(end) = known.strip_prefix('*') {
                    return name.ends_with(end);
                }
                let (least, rest) = known.split_once('/').unwrap_or(("", known));
                name.strip_prefix(least)
                    .is_some_and(|more| more == rest || self.is_long && rest.starts_with(more))
            };
            names.split(' ').any(means)
                || !self.is_long
                    && self
                        .stripped
                        .chars()
                        .take_while(char::is_ascii_alphabetic)
                        .any(|c| letters.contains(c))
        })
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_letter_case_in_which_they_are_looked_up() {
        for table in [&RUNS, &WRITES] {
            for (_, (_, names)) in table.rows() {
                assert_eq!(*names, folded(names));
            }
        }
    }
}
