import type { AnswerId, Poll } from '../../poll/poll.ts';
import { pollText } from '../../poll/poll-text.ts';

export const MAX_NAME_LENGTH = 80;
const MAX_ANSWERS = 100;
const nameSchema = pollText({ min: 1, max: MAX_NAME_LENGTH });

/** What a voter filled in, as it came: shown again whatever was wrong with it. */
export interface FilledForm {
  readonly answers: readonly string[];
  readonly name: string;
  readonly token: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

export type FormFault =
  | 'no_answer'
  | 'too_many_answers'
  | 'unknown_answer'
  | 'name_missing'
  | 'name_unusable';

export function readBallotForm(body: unknown): FilledForm {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const answers = [fields['answer']].flat().filter(text => typeof text === 'string');
  return {
    answers: [...new Set(answers)].slice(0, MAX_ANSWERS + 1),
    name: typeof fields['name'] === 'string' ? fields['name'] : '',
    token: typeof fields['ballot'] === 'string' ? fields['ballot'] : undefined,
    fields,
  };
}

/** A form that can be cast, or what is wrong with it. The engine checks again: here it is about the words. */
export function checkBallotForm(
  poll: Poll,
  { answers, name }: FilledForm,
): { answers: AnswerId[]; name: string | undefined } | FormFault {
  if (answers.length === 0) return 'no_answer';
  if (answers.length > 1 && !poll.settings.allowMultiple) return 'too_many_answers';
  const known = new Set(poll.answers.map(answer => answer.id));
  if (answers.some(id => !known.has(id))) return 'unknown_answer';
  if (!poll.settings.requireName) return { answers: [...answers], name: undefined };
  if (name.trim() === '') return 'name_missing';
  const checked = nameSchema.safeParse(name);
  return checked.success ? { answers: [...answers], name: checked.data } : 'name_unusable';
}
