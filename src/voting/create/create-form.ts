import { checkDraft, type PollDraft } from '../../poll/poll-schema.ts';
import { readLocalMoment } from '../page/deadline-field.ts';
import { type Faults, faultsOf } from './form-fault.ts';

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
  /** The poll is prepared, and opened by hand. */
  readonly isLater: boolean;
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
  isLater: false,
};

export function readCreateForm(body: unknown): FilledPoll {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  const answers = [fields['answer']].flat().filter(answer => typeof answer === 'string');
  return {
    title: text('title'),
    description: text('description'),
    answers: answers.filter(answer => answer.trim() !== ''),
    switches: new Set(SWITCHES.filter(name => (fields[name] ?? '') !== '')),
    deadline: text('deadline').trim(),
    offset: text('offset'),
    image: text('image').trim(),
    visibility: text('results_visibility') || 'always',
    isLater: text('later') !== '',
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
    status: filled.isLater ? 'upcoming' : 'open',
  };
  const parsed = checkDraft({ poll }, nowMs);
  return parsed.success ? { draft: parsed.data.poll } : { faults: faultsOf(parsed.error) };
}
