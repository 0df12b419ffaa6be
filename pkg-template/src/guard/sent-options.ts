// The options of the requests that have left, which later requests use again.
import type { ChatRequestOptions } from 'ai';

import { isObject } from '../objects.js';
import { optionsOf } from '../request-options.js';

type Given = Parameters<typeof optionsOf>[0];

/** The options of the requests of one guard. */
export class SentOptions {
  #last: ChatRequestOptions | undefined;
  /** Those of the last message of a person, which also apply to its decisions: a server may need a header. */
  #ofPerson: ChatRequestOptions | undefined;
  /** Those of earlier messages of a person, without those that are used again. */
  readonly #outdated = new WeakSet();

  /** The options of the last request, which `retry` uses again. */
  get last(): ChatRequestOptions | undefined {
    return this.#last ?? this.#ofPerson;
  }

  /** Returns the options for a request with decisions: the given ones, or otherwise those of the last message of a person. */
  for(given: ChatRequestOptions | undefined): ChatRequestOptions | undefined {
    return (this.#last = given ?? this.#ofPerson ?? this.#last);
  }

  /**
   * Notes a request that leaves. Returns the options of the last message of a person, if the request would have those of an
   * earlier one: where responses overlap, the chat sends at the end of one of them with the options of that one.
   */
  note(request: Given, isOfPerson: boolean): ChatRequestOptions | undefined {
    const options = optionsOf(request);
    const given = Object.values(options ?? {}).filter(isObject);
    if (!isOfPerson) {
      const own = given.some((value) => this.#outdated.has(value)) ? this.#ofPerson : undefined;
      this.#last = own ?? options;
      return own;
    }
    for (const value of Object.values(this.#ofPerson ?? {})) if (isObject(value)) this.#outdated.add(value);
    for (const value of given) this.#outdated.delete(value);
    this.#last = options;
    this.#ofPerson = options ?? {};
    return undefined;
  }
}
