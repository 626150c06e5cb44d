import type { FastifyInstance } from 'fastify';
import { catalogues } from '../locales/catalogues.ts';
import { countVotes, type PollId, type Reading } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { secondsOf } from '../protocol/results-body.ts';
import { POLL_BUTTONS, planPress } from '../show/poll-press.ts';
import type { PressName } from '../show/press-guard.ts';
import { authorizeShow, readShow } from '../show/rewrite-show.ts';
import { ownsPoll, type StoredShow, stepFrom } from '../show/show.ts';
import { airOf, findUndo, goneIn } from '../show/shows.ts';
import type { ApiOptions } from './api-options.ts';
import { json, type Outline } from './outline.ts';
import { accessOf, PRIVATE, type ShowParams } from './show-routes.ts';

/** `GET /api/show/<name>/buttons`: what each button of a show does now, for a program that draws them. */

const { steps, add, edit } = catalogues.en.desk;
/** As the desk calls them. */
const LABELS: Readonly<Record<PressName | 'undo', string>> = {
  ...steps,
  keep_open: steps.keepOpen,
  add,
  edit: edit.edit,
};

interface ShowButton {
  readonly possible: boolean;
  /** The code of the error that a press gets; `unchanged` for one that changes nothing; null if it is possible. */
  readonly why: string | null;
  readonly label: string;
  /** The tally: red for what is on air, green for what comes next. */
  readonly color: 'red' | 'green' | 'white' | 'gray';
}

export async function showButtons(app: FastifyInstance, options: ApiOptions): Promise<void> {
  const route = { config: { outline: READ_BUTTONS } };
  app.get<ShowParams>('/api/show/:name/buttons', route, async (request, reply) => {
    const access = accessOf(request, options);
    const { name } = request.params;
    const stored = await readShow(options.engine, name, access);
    authorizeShow(stored, access, 'read');
    reply.header('cache-control', PRIVATE);
    const { readPoll } = options;
    const aired = stored.onAir === null ? undefined : await readPoll(stored.onAir);
    const [next, previous] = await Promise.all([
      stepButton(stored, 'next', options),
      stepButton(stored, 'previous', options),
    ]);
    const undo = await findUndo(options.engine, stored);
    const ofPoll = [...POLL_BUTTONS, 'again' as const].map(name => [name, pollButton(stored, aired, name)]);
    const buttons: Readonly<Record<string, ShowButton>> = {
      next: next.button,
      previous: previous.button,
      clear: buttonOf('clear', stored.onAir === null ? 'nothing_on_air' : null, 'red', aired?.poll.title),
      ...Object.fromEntries(ofPoll),
      undo: buttonOf('undo', undo ? null : 'nothing_to_undo', 'white', undo && LABELS[undo.press]),
    };
    return { success: 1, name, on_air: airedBody(stored.onAir, aired), next: next.poll, buttons };
  });
}

function buttonOf(
  name: keyof typeof LABELS,
  why: string | null,
  color: ShowButton['color'],
  what?: string,
): ShowButton {
  const label = what === undefined ? LABELS[name] : `${LABELS[name]}: ${what}`;
  return { possible: why === null, why, label, color: why === null ? color : 'gray' };
}

async function stepButton(stored: StoredShow, name: 'next' | 'previous', { engine, readPoll }: ApiOptions) {
  try {
    const { to: id } = await stepFrom(stored, name, goneIn(engine));
    const title = (await readPoll(id))?.poll.title ?? '';
    return { poll: { id, title }, button: buttonOf(name, null, 'green', title) };
  } catch (error) {
    if (!(error instanceof PollError) || error.status >= 500) throw error;
    return { poll: null, button: buttonOf(name, error.code, 'green') };
  }
}

function pollButton(
  stored: StoredShow,
  aired: Reading | undefined,
  name: (typeof POLL_BUTTONS)[number] | 'again',
): ShowButton {
  return buttonOf(name, whyNot(), 'red');

  function whyNot(): string | null {
    if (!aired) return stored.onAir === null ? 'nothing_on_air' : 'poll_not_found';
    if (!ownsPoll(stored, aired.poll.show)) return 'api_key_rejected';
    if (name === 'again') return null;
    try {
      const options = { ...airOf(stored), confirm: true };
      return planPress(aired.results, name, options) ? null : 'unchanged';
    } catch (error) {
      if (error instanceof PollError) return error.code;
      throw error;
    }
  }
}

function airedBody(id: PollId | null, aired: Reading | undefined): object | null {
  if (id === null || !aired) return null;
  const { status, deadlineMs, readAtMs } = aired.results;
  const leftMs = status === 'open' && deadlineMs !== null ? deadlineMs - readAtMs : undefined;
  const votes = countVotes(aired.results);
  return { id, title: aired.poll.title, status, total_votes: votes, time_left: secondsOf(leftMs) ?? null };
}

const READ_BUTTONS: Outline = {
  id: 'readButtons',
  summary: 'Read what the buttons of a show do now',
  description:
    'The poll on air, the next one, and for each button whether a press is possible, its label and its tally color.',
  key: 'required',
  replies: { 200: json('The buttons.', 'ShowButtons') },
};
