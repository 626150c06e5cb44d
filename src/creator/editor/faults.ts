import type { z } from 'zod';
import { fill } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import { faultOfIssue } from '../../poll/input-rules.ts';

/** The faults of a form by the name of the field. `answers.2` is the third answer. */
export type Faults = ReadonlyMap<string, Fault>;

type FaultCode = keyof Phrases['create']['faults'];

interface Fault {
  readonly code: FaultCode;
  /** A limit, or the number of an answer. */
  readonly number?: number | undefined;
}

export function faultText({ create, wording }: Phrases, faults: Faults, name: string): string {
  const { code, number = 0 } = faults.get(name) ?? { code: 'other' };
  const written = wording.number(number);
  return fill(create.faults[code], { most: written, number: written });
}

export function faultsOf({ issues }: z.ZodError): Faults {
  const faults = new Map<string, Fault>();
  for (const issue of issues) {
    const name = issue.path
      .slice(1)
      .join('.')
      .replace(/\.(answer|color|image_focus.*)$/, '');
    if (!faults.has(name)) faults.set(name, toFault(name, issue));
  }
  return faults;
}

const FIELD_FAULTS: Readonly<Record<string, FaultCode>> = {
  deadline: 'moment',
  image: 'image',
  results_visibility: 'end',
  min_choices: 'choices',
  max_choices: 'choices',
};

function toFault(name: string, issue: z.core.$ZodIssue): Fault {
  if (name === 'answers' && issue.code === 'too_big') return { code: 'many', number: Number(issue.maximum) };
  // A correction may name one answer alone, but not have it alone.
  if (name === 'answers' && /too_small|custom/.test(issue.code)) return { code: 'few' };
  const { fault: code = FIELD_FAULTS[name] ?? 'other', number } = faultOfIssue(issue) ?? {};
  return { code, number };
}
