import type { z } from 'zod';
import { checkDraft, type PollDraft } from '../../poll/poll-schema.ts';
import { readLocalMoment } from '../page/deadline-field.ts';

export const SWITCHES = ['priv', 'co', 'ma', 'mip', 'enter_name', 'only_reg', 'vpn'] as const;
export type Switch = (typeof SWITCHES)[number];

/** What a creator filled in, as it came. */
export interface FilledPoll {
  readonly title: string;
  readonly description: string;
  /** Without the empty rows. */
  readonly answers: readonly string[];
  readonly switches: ReadonlySet<Switch>;
  /** As the browser's own date field has it, and the creator's minutes from UTC; empty where no script ran. */
  readonly deadline: string;
  readonly offset: string;
  readonly image: string;
  readonly visibility: string;
}

export const EMPTY_POLL: FilledPoll = {
  title: '',
  description: '',
  answers: [],
  switches: new Set(),
  deadline: '',
  offset: '',
  image: '',
  visibility: 'always',
};

/** Faults by the name of the field; `answers.2` is the third answer. */
export type Faults = ReadonlyMap<string, string>;

export function readCreateForm(body: unknown): FilledPoll {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string) =>
    typeof fields[name] === 'string' ? fields[name].replace(/\r\n?/g, '\n') : '';
  const answers = [fields['answer']].flat().filter(answer => typeof answer === 'string');
  return {
    title: text('title'),
    description: text('description'),
    answers: answers.filter(answer => answer.trim() !== ''),
    switches: new Set(SWITCHES.filter(name => fields[name] !== undefined)),
    deadline: text('deadline').trim(),
    offset: text('offset'),
    image: text('image').trim(),
    visibility: text('results_visibility') || 'always',
  };
}

/** The poll as REST clients would send it, judged by the same rules. @param nowMs the engine's clock */
export function checkCreateForm(
  filled: FilledPoll,
  nowMs: number,
): { readonly draft: PollDraft } | { readonly faults: Faults } {
  const deadlineMs = readLocalMoment(filled.deadline, filled.offset);
  const poll = {
    title: filled.title,
    description: filled.description,
    answers: filled.answers,
    ...Object.fromEntries(SWITCHES.map(name => [name, filled.switches.has(name)])),
    has_deadline: filled.deadline !== '',
    deadline: deadlineMs === undefined ? null : new Date(deadlineMs).toISOString(),
    has_image: filled.image !== '',
    image: filled.image === '' ? null : filled.image,
    results_visibility: filled.visibility,
  };
  const parsed = checkDraft({ poll }, nowMs);
  return parsed.success ? { draft: parsed.data.poll } : { faults: faultsOf(parsed.error) };
}

function faultsOf({ issues }: z.ZodError): Faults {
  const faults = new Map<string, string>();
  for (const { path, message } of issues) {
    const name = path.slice(1).join('.');
    if (!faults.has(name)) faults.set(name, inWords(name, message));
  }
  return faults;
}

/** The rules speak to programmers; where a person would not follow, they are said again. */
function inWords(name: string, message: string): string {
  if (name === 'answers')
    return message.includes('at least') ? 'Fill in at least two answers.' : `Answers: ${message}.`;
  if (name === 'deadline')
    return message.includes('future') ? 'Choose a moment in the future.' : 'Choose a day and a time.';
  if (name === 'image') return 'Use a full address that begins with https://.';
  if (name === 'results_visibility') return 'Results at the end need an end: choose a deadline.';
  return `This ${message}.`;
}
