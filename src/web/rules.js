// What the rules use of JavaScript. Each answer crosses at once.

/**
 * The places of a URL, each in a line: a parser leaves no line end in any of them.
 *
 * @param {string} text
 * @returns {string | undefined} undefined if it is no URL
 */
export function readUrl(text) {
  try {
    const { href, protocol, username, password, hostname, port, pathname, search, hash } = new URL(text);
    const userinfo = password === '' ? username : `${username}:${password}`;
    const [scheme, query, fragment] = [protocol.slice(0, -1), search.slice(1), hash.slice(1)];
    return [href, scheme, userinfo, hostname, port, pathname, query, fragment].join('\n');
  } catch {
    return undefined;
  }
}

/** @param {string} text */
export const normalized = (text) => text.normalize('NFKC');

/** @param {string} text */
export const decimal = (text) => parseFloat(text);

/** @param {number} number */
export const written = (number) => JSON.stringify(number);
