// What Cargo.toml says about the tools, and whether they are there.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root, run } from './process.mjs';

const manifest = readFileSync(path.join(root, 'Cargo.toml'), 'utf8');

function read(pattern, what) {
  const match = pattern.exec(manifest);
  if (!match) throw new Error(`Cargo.toml does not say ${what}.`);
  return match[1];
}

/** The version of the crate, which is the version of the package. */
export const crateVersion = read(/^version = "([^"]+)"/m, 'the version of the crate');

/** The file name that Rust makes of the name of the crate. */
export const libraryName = read(/^name = "([^"]+)"/m, 'the name of the crate').replaceAll('-', '_');

/** The glue and the wasm have to come from the same version, or the class does not load. */
export const bindgenPin = read(
  /^wasm-bindgen = (?:\{ *version = )?"=([^"]+)"/m,
  'the exact version of wasm-bindgen (wasm-bindgen = "=x.y.z")',
);

/** The oldest Rust that compiles the crate. */
export const rustMinimum = read(/^rust-version = "([^"]+)"/m, 'which Rust it needs');

export const wasmTarget = 'wasm32-unknown-unknown';

/** Where TypeScript notes which files of the shell it has checked. */
export const checkedTypes = path.join(root, 'target', 'checked-types.tsbuildinfo');

/**
 * With this environment cargo lints what it compiles: so the sources are read once for both. It is what `cargo clippy` itself
 * sets, which compiles nothing that could be run.
 */
export async function lintWhileCompiling() {
  const { stdout } = await run('rustc', ['--print', 'sysroot']);
  return {
    RUSTC_WORKSPACE_WRAPPER: path.join(stdout.trim(), 'bin', 'clippy-driver'),
    CLIPPY_ARGS: ['-D', 'warnings', ''].join('__CLIPPY_HACKERY__'),
  };
}

/** The version a program reports, or `undefined` when it is not there. */
export async function versionOf(program) {
  const { code, stdout } = await run(program, ['--version'], { may: true });
  return code === 0 ? /\d+\.\d+[\w.-]*/.exec(stdout)?.[0] : undefined;
}
