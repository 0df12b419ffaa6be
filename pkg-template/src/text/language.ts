// Numbers, times and lists as a language writes them, and texts from elsewhere that are put into it.
import { joined, NOTHING } from '../escape-invisible.js';
import type { Count, Forms } from './message.js';

const FSI = '\u2068';
const PDI = '\u2069';

/** The units of a time, in seconds. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** The formats of one locale. They are created when first needed, because that takes time. */
export class Language {
  /** If the engine does not know the locale, English is used, not the language of the engine. */
  readonly #locales: string[];
  #number: Intl.NumberFormat | undefined;
  #plural: Intl.PluralRules | undefined;
  #isRightToLeft: boolean | undefined;

  constructor(locale: string) {
    this.#locales = [locale, 'en'];
  }

  number(value: number): string {
    return (this.#number ??= new Intl.NumberFormat(this.#locales)).format(value);
  }

  category(value: number): Intl.LDMLPluralRule {
    return (this.#plural ??= new Intl.PluralRules(this.#locales)).select(value);
  }

  amount(value: number, unit: string): string {
    return new Intl.NumberFormat(this.#locales, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  }

  list(items: readonly string[], options?: Intl.ListFormatOptions): string {
    return new Intl.ListFormat(this.#locales, options).format(items);
  }

  isRightToLeft(): boolean {
    return (this.#isRightToLeft ??= /Adlm|Arab|Hebr|Mand|Mend|Nkoo|Rohg|Samr|Syrc|Thaa|Yezi/.test(
      new Intl.Locale(this.#locales[0] ?? 'en').maximize().script ?? '',
    ));
  }

  /** A number that a message speaks of. */
  count(value: number): Count {
    return {
      value,
      plural: (forms: Forms) => forms[this.category(value)] ?? forms.other,
      toString: () => this.number(value),
    };
  }

  /** A duration in its two largest units, not rounded: "1 hour 30 minutes". */
  duration(ms: number): string {
    // Rounded up, so that a time that is not over is never shown as zero.
    let seconds = Math.ceil(Math.max(ms, 0) / 1000);
    let first = UNITS.findIndex(([, size]) => seconds >= size);
    if (first < 0) first = UNITS.length - 1;
    const amounts: string[] = [];
    for (const [unit, size] of UNITS.slice(first, first + 2)) {
      const amount = Math.floor(seconds / size);
      seconds %= size;
      if (amount > 0 || amounts.length === 0) amounts.push(this.amount(amount, unit));
    }
    return this.list(amounts, { type: 'unit', style: 'narrow' });
  }

  /** An untrusted text: all of it is visible, and it does not change the direction of the text around it. */
  isolate(value: string, stays = NOTHING): string {
    const safe = joined(value, stays);
    return /^[ -~]*$/.test(safe) && !this.isRightToLeft() ? safe : FSI + safe + PDI;
  }
}

/**
 * The built-in English, which gives the same results without `Intl`. Creating `Intl` objects takes longer
 * than everything else.
 */
export class English extends Language {
  override number(value: number): string {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) return super.number(value);
    return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
  }

  override category(value: number): Intl.LDMLPluralRule {
    if (!Number.isInteger(value)) return super.category(value);
    return Math.abs(value) === 1 ? 'one' : 'other';
  }

  override amount(value: number, unit: string): string {
    return `${this.number(value)} ${unit}${this.category(value) === 'one' ? '' : 's'}`;
  }

  override list(items: readonly string[], options?: Intl.ListFormatOptions): string {
    if (options?.type === 'unit') return items.join(' ');
    const last = items.length - 1;
    return last < 1
      ? items.join('')
      : `${items.slice(0, -1).join(', ')}${last > 1 ? ',' : ''} and ${items[last]}`;
  }

  override isRightToLeft(): boolean {
    return false;
  }
}
