import type { z } from 'zod';
import { faultOfIssue } from '../../poll/poll-text.ts';
import { fill } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';

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
  const written = wording.number(number);
  return fill(create.faults[code], { most: written, number: written });
}

export function faultsOf({ issues }: z.ZodError): Faults {
  const faults = new Map<string, Fault>();
  for (const issue of issues) {
    const name = issue.path.slice(1).join('.');
    if (!faults.has(name)) faults.set(name, toFault(name, issue));
  }
  return faults;
}

/** Of fields that can be wrong in one way only. */
const FIELD_FAULTS: Readonly<Record<string, FaultCode>> = {
  deadline: 'moment',
  image: 'image',
  results_visibility: 'end',
};

function toFault(name: string, issue: z.core.$ZodIssue): Fault {
  if (name === 'answers' && issue.code === 'too_small') return { code: 'few' };
  if (name === 'answers' && issue.code === 'too_big') return { code: 'many', number: Number(issue.maximum) };
  const { fault: code = FIELD_FAULTS[name] ?? 'other', number } = faultOfIssue(issue) ?? {};
  return { code, number };
}
