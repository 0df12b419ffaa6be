// Pages of one origin in which the tabs of the record are tried, each with a `Tabs` of its own.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const source = fileURLToPath(new URL('../../pkg-template/src/record/tabs.ts', import.meta.url));

/** In each page, after the module: `?without=locks,BroadcastChannel` is a browser that lacks them. */
const page = `
  for (const name of new URLSearchParams(location.search).get('without')?.split(',') ?? []) {
    if (name === 'locks') delete Navigator.prototype.locks;
    else delete globalThis[name];
  }
  const PREFIX = 'p:1:chat:';
  const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  /** What happened here, in order. */
  const log = [];
  const changes = [];
  const errorOf = ({ name, code, message }) => (name === 'LockError' ? code : message);
  function open(session, more = {}) {
    const onChange = (away) => changes.push({ away, at: performance.now() });
    window.own = session;
    return (window.tabs = new record.Tabs({ prefix: PREFIX, session, onChange, ...more }));
  }
  const living = async () => {
    const living = await tabs.living();
    return living && [...living.keys()].sort();
  };
`;

/** Serves the page, and counts who is inside: \`/enter\` says how many there are. */
export async function serveTabs() {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    format: 'iife',
    globalName: 'record',
    target: 'es2022',
    write: false,
  });
  let inside = 0;
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url ?? '/', 'http://localhost');
    if (pathname === '/enter') return response.end(`${++inside}`);
    if (pathname === '/leave') return response.end(`${--inside}`);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    const icon = '<link rel="icon" href="data:,">';
    response.end(`<!doctype html>${icon}<title>A chat</title><script>${outputFiles[0].text}${page}</script>`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
