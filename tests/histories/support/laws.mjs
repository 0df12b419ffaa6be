// The promises of the laws and of the guides, checked against what really happened. Nothing here knows how the guard works: it reads
// requests, lists and results, and compares them with the truth. Each group of promises is a file in `laws/`.
import { Accepted } from './laws/accepted.mjs';
import { Answers } from './laws/answers.mjs';
import { Calls } from './laws/calls.mjs';
import { Cards } from './laws/cards.mjs';
import { Inputs } from './laws/inputs.mjs';
import { Ledger } from './laws/ledger.mjs';
import { Outputs } from './laws/outputs.mjs';
import { Origins } from './laws/origins.mjs';
import { Predicate } from './laws/predicate.mjs';
import { Runs } from './laws/runs.mjs';
import { Sends } from './laws/sends.mjs';
import { Stalls } from './laws/stalls.mjs';
import { Told } from './laws/told.mjs';
import { Untouched } from './laws/untouched.mjs';
import { Words } from './laws/words.mjs';
import { toolParts } from './truth.mjs';

/** All groups. What is broken first is what a history is known by, so their order matters. */
const GROUPS = [
  ...[Predicate, Sends, Untouched, Inputs, Answers, Outputs, Runs, Accepted],
  ...[Origins, Told, Ledger, Stalls, Cards],
];

export class Laws {
  /** The promises that were broken: `{ kind, ... }`, first things first. */
  broken = [];
  /** How many pages there were. */
  pages = 0;
  #groups;
  #origins;

  constructor(world) {
    this.world = world;
    this.words = new Words(this);
    this.calls = new Calls(this);
    this.#origins = new Origins(this);
    this.#groups = GROUPS.map((Group) => new Group(this));
  }

  breaks(kind, detail = {}) {
    this.broken.push({ kind, ...detail });
  }

  /** Has each group check what happens, if it has a promise about it. */
  check(moment, ...what) {
    for (const group of this.#groups) group[moment]?.(...what);
  }

  /** The chat asks whether to send. */
  asked(page, ask) {
    let yes;
    try {
      yes = ask();
    } catch (error) {
      this.breaks('the predicate throws', { error: String(error) });
      return false;
    }
    this.check('asked', page, yes);
    return yes;
  }

  /** A request has reached the server. */
  requested(request) {
    this.check('leaves', request);
    for (const part of toolParts(request.wire)) {
      const origin = this.#origins.of(request, part);
      if (origin !== undefined) this.check('part', request, part, origin);
    }
    this.check('left', request);
  }

  /** Everything has come to rest. */
  ended() {
    for (const page of this.world.pages) {
      if (page.isClosed) continue;
      page.guard.observe(page.messages);
      this.check('ended', page);
    }
  }
}
