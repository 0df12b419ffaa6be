// The server of the page of `./page.mjs`, under a strict policy.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

/**
 * What a strict page allows: its own script and the module of the guard. There is no style but the element's own, which
 * is no inline style, and no string becomes markup.
 */
const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'none'; img-src 'none'; connect-src 'none'; " +
  "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>A chat</title>
    <script type="module" src="/page.js"></script>
  </head>
  <body></body>
</html>`;

/** The page as one file. */
export async function bundlePage() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.mjs', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"production"' },
    charset: 'utf8',
    write: false,
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

/** Serves the page: at `/` under a strict policy, at `/loose` without any, so that an attack would come through. */
export async function servePage() {
  const script = await bundlePage();
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url ?? '/', 'http://localhost');
    if (pathname === '/page.js') {
      // From its cache the browser takes the script compiled. It is loaded once for almost every test.
      response.writeHead(200, {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'max-age=3600, immutable',
      });
      return response.end(script);
    }
    if (pathname !== '/' && pathname !== '/loose') return response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      ...(pathname === '/' && { 'content-security-policy': STRICT }),
    });
    // A page without a policy asks for an icon.
    const icon = '<link rel="icon" href="data:,">';
    response.end(pathname === '/' ? HTML : HTML.replace('<title>', `${icon}<title>`));
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
