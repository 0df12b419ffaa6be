//! Options that write a file. A wildcard of an allowance does not cover them, just as it does not cover those that
//! run a program ([`super::words::runs`]).
//!
//! Each line names commands, the letters of their short options (`-` for none), and the names of the others. The
//! manual page or the program whose help says so stands above it. A name can be abbreviated up to the slash in it,
//! because what is shorter is another option (`tar --list`). A list is never complete, so some names count for every
//! command.

use super::words;
use crate::rules::unicode::folded;

/// Names that mean a file for every command.
const ALWAYS: &str =
    "out-file outfile output-file outputfile out-dir outdir output-dir output-directory log-file logfile";

static TABLE: &str = concat!(
    // sort(1), shuf(1), base64(1) of macOS, iconv(1), updatedb(8)
    "sort shuf base64 iconv updatedb:o:output\n",
    // tree(1)
    "tree:o:output\n",
    // git-diff(1), git-log(1), git-fast-export(1)
    "git:-:output export-marks\n",
    // tar(1): a snapshot and an index are written, and files that were added are removed
    "tar gtar bsdtar:g:index-file listed/-incremental remove-files\n",
    // curl(1)
    "curl:oOJDc:output remote-name remote-name-all remote-header-name dump-header cookie-jar trace trace-ascii stderr \
     libcurl etag-save hsts alt-svc create-dirs\n",
    // wget(1)
    "wget wget2:OoaP:output-document append-output directory-prefix save-cookies hsts-file warc-file rejected-log\n",
    // http(1) of HTTPie, xh(1)
    "http https xh xhs:od:output download session\n",
    // file(1): compiles a magic file
    "file:C:compile\n",
    // journalctl(1): the cursor is written, and vacuuming deletes
    "journalctl:-:cursor-file vacuum-size vacuum-time vacuum-files rotate\n",
    // sdiff(1), patch(1)
    "sdiff patch:o:output\n",
    // yq(1) by Mike Farah
    "yq:is:inplace in-place split-exp\n",
    // mlr(1)
    "mlr:I:-\n",
    // xsv, qsv
    "xsv qsv:o:output\n",
    // xmllint(1), xsltproc(1)
    "xmllint xsltproc:o:output\n",
    // tidy(1)
    "tidy:mof:modify output file\n",
    // pandoc(1)
    "pandoc:o:output extract-media log\n",
    // gcc(1), clang(1): a program is what they are called for, so `-o` is not among these
    "gcc cc clang g++ c++ clang++ gfortran rustc:-:MF dumpdir save-temps aux-info out-dir\n",
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
    // openssl(1)
    "openssl:-:out keyout writerand CAserial\n",
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
    // ss(8), sar(1), blkid(8), dmidecode(8), sysctl(8)
    "ss:D:diag\n",
    "sar:o:-\n",
    "blkid:c:cache-file\n",
    "dmidecode:-:dump-bin\n",
    "sysctl:wp:write load system\n",
    // dot(1) of Graphviz
    "dot neato circo fdp sfdp twopi:oO:-\n",
    // pip(1)
    "pip pip3:-:log report\n",
    // pytest(1)
    "pytest py.test:-:junitxml junit-xml basetemp cov-report resultlog\n",
    // eslint, stylelint, prettier, biome
    "eslint stylelint:o:fix cache-location init\n",
    "prettier:w:write cache-location\n",
    "biome:-:write fix apply apply-unsafe\n",
    // tsc
    "tsc:-:declarationdir tsbuildinfofile generatetrace generatecpuprofile init build b\n",
    // jest, vitest
    "jest vitest:u:coverage-directory coveragedirectory updatesnapshot update\n",
    // ruff, golangci-lint, clang-tidy, clang-format, cargo-clippy, semgrep
    "ruff:o:fix unsafe-fixes add-noqa\n",
    "golangci-lint:-:fix cpu-profile-path mem-profile-path trace-path\n",
    "clang-tidy:-:fix fix-errors fix-notes export-fixes\n",
    "clang-format:i:-\n",
    "cargo:-:fix target-dir artifact-dir\n",
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
    "protoc:o:descriptor_set_out\n",
);

/// Whether an option of this name writes a file. Long options can be abbreviated, so the beginning of a name counts as
/// the name.
pub(super) fn writes(command: &str, option: &str) -> bool {
    let Some(stripped) = option.strip_prefix('-') else { return false };
    let is_long = stripped.starts_with('-');
    let name = stripped.trim_start_matches('-').split('=').next().unwrap_or_default();
    let lower = folded(name);
    if lower.is_empty() || lower.starts_with("no-") {
        return false;
    }
    if ALWAYS.split(' ').any(|always| always == lower) {
        return true;
    }
    let command = words::name(command);
    let bare = command.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    // x86_64-linux-gnu-gcc
    let tool =
        bare.rsplit('-').next().filter(|tool| matches!(*tool, "gcc" | "cc" | "g++" | "c++" | "gfortran"));
    let is_meant = |known: &str| known == command || known == bare || tool == Some(known);
    let lines = TABLE.lines().filter_map(|line| {
        let (commands, options) = line.split_once(':')?;
        let (letters, names) = options.split_once(':')?;
        commands.split(' ').any(is_meant).then_some((letters, names))
    });
    lines.into_iter().any(|(letters, names)| {
        let means = |known: &str| {
            let known = known.to_ascii_lowercase();
            let least = known.find('/').unwrap_or(1);
            let known = known.replace('/', "");
            known == lower || is_long && lower.len() >= least && known.starts_with(&lower)
        };
        names.split(' ').any(means)
            || !is_long && stripped.chars().take_while(char::is_ascii_alphabetic).any(|c| letters.contains(c))
    })
}
