import type { Engine } from '../../engine/engine.ts';
import type { Reading, ResultsVisibility } from '../../poll/poll.ts';
import { type ChangeFault, planChange, type WantedState } from '../../poll/poll-change.ts';
import { type ErrorCode, PollError } from '../../poll/poll-error.ts';
import { hashKey, type IsOperatorKey, presentKey } from '../../poll/poll-key.ts';
import { changeShow } from '../../show/shows.ts';
import { readLocalMoment } from '../page/deadline-field.ts';
import type { ReadSecret, VotingSecret } from '../voter/voting-secret.ts';

/** What the creator's buttons do. Each resolves to what the next page says. */

export type ActionFields = Readonly<Record<string, unknown>>;

export interface ActionOutcome {
  readonly title: string;
  readonly text: string;
  /** Nothing was changed. */
  readonly refused?: true;
  /** What the new view key comes from: with it and the secret of this server the next page can show the key. */
  readonly viewKeyToken?: string;
  readonly removed?: true;
}

/** The buttons that there are; any other moment is a deadline. */
export const CLOSE_IN_MINUTES: readonly number[] = [1, 5, 10];

export interface ActionTools {
  readonly engine: Engine;
  readonly secret: ReadSecret;
  readonly relayUrl: string;
  readonly isOperatorKey: IsOperatorKey;
}

type Action = (tools: ActionTools, reading: Reading, fields: ActionFields) => Promise<ActionOutcome>;

const VISIBILITIES: Record<ResultsVisibility, ActionOutcome> = {
  always: { title: 'The results are shown', text: 'Every open screen and page has them now.' },
  after_deadline: {
    title: 'The results wait for the end',
    text: 'They are hidden now and appear when voting ends.',
  },
  hidden: {
    title: 'The results are hidden',
    text: 'Only you and whoever has a key of this poll can see them now.',
  },
};

const visibility: Action = async ({ engine }, reading, fields) => {
  const wanted = fields['results_visibility'];
  if (wanted !== 'always' && wanted !== 'after_deadline' && wanted !== 'hidden')
    return refused('Choose who sees the results.');
  return change(engine, reading, { resultsVisibility: wanted }, VISIBILITIES[wanted]);
};

const close: Action = ({ engine }, reading) => change(engine, reading, { status: 'closed' }, CLOSED);

const CLOSED: ActionOutcome = {
  title: 'Voting is closed',
  text: 'No more votes are taken. You can open it again.',
};

const reopen: Action = ({ engine }, reading) => {
  const { deadlineMs, readAtMs } = reading.results;
  const passed = deadlineMs !== null && deadlineMs <= readAtMs;
  const end = passed ? ' The deadline that had passed is gone: close it by hand or set another.' : '';
  const wanted: WantedState = { status: 'open', ...(passed && { deadlineMs: null }) };
  return change(engine, reading, wanted, {
    title: reading.results.status === 'upcoming' ? 'Voting is open' : 'Voting is open again',
    text: `Votes are taken from now on.${end}`,
  });
};

const deadline: Action = async ({ engine }, reading, fields) => {
  const text = typeof fields['deadline'] === 'string' ? fields['deadline'].trim() : '';
  if (text === '') return change(engine, reading, { deadlineMs: null }, NO_DEADLINE);
  const deadlineMs = readLocalMoment(text, typeof fields['offset'] === 'string' ? fields['offset'] : '');
  if (deadlineMs === undefined) return refused('Choose a day and a time.');
  return change(engine, reading, { deadlineMs }, NEW_DEADLINE);
};

const NO_DEADLINE: ActionOutcome = {
  title: 'There is no deadline now',
  text: 'Voting ends when you close it.',
};
const NEW_DEADLINE: ActionOutcome = {
  title: 'The deadline is changed',
  text: 'Every open page counts down to the new one.',
};

const closeIn: Action = ({ engine }, reading, fields) => {
  const minutes = Number(fields['minutes']);
  if (!CLOSE_IN_MINUTES.includes(minutes))
    return Promise.resolve(refused('Choose how long voting stays open.'));
  return change(engine, reading, { closesInMs: minutes * 60_000 }, NEW_DEADLINE);
};

/** The new key comes from the form's token: a reload shows the same one again instead of making another. */
const viewKey: Action = async ({ engine, secret: readSecret }, { poll }, fields) => {
  const secret = await readSecret();
  const token = secret.unseal(
    'manage',
    typeof fields['once'] === 'string' ? fields['once'] : undefined,
    poll.id,
    'view key',
  );
  if (token === undefined) return refused('This page was open for too long. Press the button again.');
  await engine.polls.change(poll.id, { viewKeyHash: hashKey(viewKeyFrom(secret, token, poll.id)) });
  return {
    title: 'There is a new view key',
    text: 'It is shown this one time. Overlays with the old one lose hidden results; give them the new address.',
    viewKeyToken: token,
  };
};

export function viewKeyFrom(secret: VotingSecret, token: string, pollId: string): string {
  return `view_${secret.bytes('manage', token, pollId).toString('base64url')}`;
}

const removeComment: Action = async ({ engine }, { poll }, fields) => {
  const id = fields['comment'];
  const removed = typeof id === 'string' && (await engine.comments.remove(poll.id, id));
  return removed
    ? { title: 'The comment is removed', text: 'It is gone from every open page.' }
    : { title: 'The comment was gone already', text: 'Nothing else was changed.' };
};

/** A show belongs to whoever took its name: the key of the poll says nothing about it. */
const show: Action = async ({ engine, relayUrl, isOperatorKey }, { poll }, fields) => {
  const [name, key] = [fields['show'], fields['show_key']].map(text =>
    typeof text === 'string' ? text.trim() : '',
  ) as [string, string];
  try {
    await changeShow(engine, name, { onAir: poll.id }, { key: presentKey(key, 'message'), isOperatorKey });
  } catch (error) {
    const words = error instanceof PollError ? SHOW_REFUSALS[error.code] : undefined;
    if (words === undefined) throw error;
    return refused(words);
  }
  return { title: `"${name}" shows this poll now`, text: `Its overlay is ${relayUrl}/overlay/show/${name}` };
};

const SHOW_REFUSALS: Partial<Record<ErrorCode, string>> = {
  show_not_found:
    'There is no show of this name. It has small letters, digits and hyphens, like friday-night.',
  api_key_required: 'Fill in the key of the show.',
  api_key_rejected:
    'This key does not open this show. It begins with show_ and was told when the show was created.',
};

const remove: Action = async ({ engine }, { poll }, fields) => {
  if (typeof fields['confirmation'] !== 'string' || fields['confirmation'].trim().toLowerCase() !== 'delete')
    return refused('Type the word delete to confirm. The poll is still there.');
  await engine.polls.remove(poll.id);
  return { title: 'The poll is deleted', text: 'All its votes, names and comments are gone.', removed: true };
};

export const ACTIONS: Readonly<Record<string, Action>> = {
  visibility,
  close,
  reopen,
  deadline,
  'close-in': closeIn,
  'view-key': viewKey,
  'remove-comment': removeComment,
  show,
  delete: remove,
};

async function change(
  { polls }: Engine,
  { poll, results }: Reading,
  wanted: WantedState,
  done: ActionOutcome,
): Promise<ActionOutcome> {
  const planned = planChange(results, wanted);
  if (planned.fault) return refused(FAULTS[planned.fault]);
  if (planned.change) await polls.change(poll.id, planned.change);
  return done;
}

const FAULTS: Record<ChangeFault, string> = {
  deadline_in_past: 'Choose a moment in the future, or close the poll now.',
  deadline_missing: 'Results at the end need an end: set a deadline first.',
  deadline_passed: 'The deadline has passed. Set a later one first.',
};

function refused(text: string): ActionOutcome {
  return { title: 'Nothing was changed', text, refused: true };
}
