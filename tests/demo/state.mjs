// What the server of the demo has received and run, for the tests.

/** @import { SessionState } from '../../www/shared/protocol.ts' */

/** What the server received in its last request about a file. @param {SessionState} state @param {string} file */
export function lastSent(state, file) {
  const call = state.requests.at(-1)?.calls.findLast(({ target }) => target === file);
  return call && { state: call.state, approved: call.approved, output: call.output };
}

/** What the model read last about a file. @param {SessionState} state @param {string} file */
export function lastTold(state, file) {
  return state.requests.at(-1)?.told.findLast(({ target }) => target === file);
}

/** @param {SessionState} state */
export function runs(state) {
  return state.runs
    .filter(({ toolName }) => toolName !== 'list_files')
    .map(({ toolName, target, times }) => `${toolName} ${target} ${times}`);
}

/** @param {SessionState} state @param {string} file */
export function lines(state, file) {
  return state.files.find(({ name }) => name === file)?.lines;
}
