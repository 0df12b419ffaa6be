// @ts-check
// What the rules take from the browser: its URL parser and its normalisation.

/** Separates the pieces: no serialised URL has one. */
const SEPARATOR = '\n';

/**
 * An absolute URL in its serialised pieces, in the order of `ParsedUrl`; `undefined` where it is none.
 * @param {string} text @returns {string | undefined}
 */
export function parse_url(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const { href, protocol, username, password, hostname, port, pathname, search, hash } = url;
  const userinfo = password === '' ? username : `${username}:${password}`;
  const pieces = [
    href,
    protocol.slice(0, -1),
    userinfo,
    hostname,
    port,
    pathname,
    search.slice(1),
    hash.slice(1),
  ];
  return pieces.join(SEPARATOR);
}

/** @param {string} text */
export function nfkc(text) {
  return text.normalize('NFKC');
}
