import type { z } from 'zod';
import type { Phrases } from '../phrase/phrases.ts';

/** What is wrong with a form, by the name of the field; `answers.2` is the third answer. */
export type Faults = ReadonlyMap<string, Fault>;

type FaultCode = keyof Phrases['create']['faults'];

export interface Fault {
  readonly code: FaultCode;
  /** A limit, or the place of an answer. */
  readonly number?: number | undefined;
}

/** Of one field, where it has the fault. */
export function faultWords({ create, wording }: Phrases, faults: Faults, name: string): string {
  const { code, number = 0 } = faults.get(name) ?? { code: 'other' };
  const words = create.faults[code];
  return typeof words === 'string' ? words : words(wording.number(number));
}

export function faultsOf({ issues }: z.ZodError): Faults {
  const faults = new Map<string, Fault>();
  for (const { path, message } of issues) {
    const name = path.slice(1).join('.');
    if (!faults.has(name)) faults.set(name, toFault(name, message));
  }
  return faults;
}

/** What the rules say of a text, in the words of programmers. */
const TEXT_FAULTS: readonly (readonly [RegExp, FaultCode])[] = [
  [/^must not be empty/, 'empty'],
  [/^must be at most (\d+) characters/, 'long'],
  [/^is the same as answer (\d+)/, 'same'],
  [/^must not contain/, 'unusable'],
];

function toFault(name: string, message: string): Fault {
  if (name === 'answers')
    return message.includes('at least') ? { code: 'few' } : { code: 'many', number: 100 };
  if (name === 'deadline') return { code: message.includes('future') ? 'past' : 'moment' };
  if (name === 'image') return { code: 'image' };
  if (name === 'results_visibility') return { code: 'end' };
  for (const [pattern, code] of TEXT_FAULTS) {
    const match = pattern.exec(message);
    if (match) return { code, number: Number(match[1] ?? 0) };
  }
  return { code: 'other' };
}
