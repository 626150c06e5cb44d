import { z } from 'zod';
import { pollText } from '../../poll/poll-text.ts';

export const MAX_COMMENT_LENGTH = 1_000;
export const MAX_COMMENT_NAME_LENGTH = 80;
const NAMELESS = 'Somebody';

/** What somebody wrote, as it came. */
export interface FilledComment {
  readonly text: string;
  readonly name: string;
  readonly token: string;
}

const schema = z.object({
  text: pollText({ min: 1, max: MAX_COMMENT_LENGTH, prose: true }),
  name: pollText({ min: 0, max: MAX_COMMENT_NAME_LENGTH }),
});

export function readCommentForm(body: unknown): FilledComment {
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  // Browsers send line ends of forms as CR LF, and a carriage return is a control character.
  return { text: text('text').replace(/\r\n?/g, '\n'), name: text('name'), token: text('comment') };
}

/** The comment to store, or what is wrong with it, in words. */
export function checkComment(filled: FilledComment): { text: string; name: string } | string {
  const parsed = schema.safeParse(filled);
  if (parsed.success) return { text: parsed.data.text, name: parsed.data.name || NAMELESS };
  const [issue] = parsed.error.issues;
  return `The ${issue?.path[0] === 'name' ? 'name' : 'comment'} ${issue?.message ?? 'cannot be used'}.`;
}
