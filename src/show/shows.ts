import type { Engine } from '../engine/engine.ts';
import type { PollId } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { type IsOperatorKey, type PresentedKey, sameDigest } from '../poll/poll-key.ts';
import { REHEARSAL_ID } from '../poll/rehearsal.ts';
import type { ShowChange } from './show-schema.ts';

/**
 * A show is a named place on air: overlays point to it once, and what it shows changes under them. Whoever took the name owns
 * it, and every way to change a show leads through the judgement of its key here.
 */

/** Names that may be in a store; the rule for new ones is stricter. A guard for what becomes part of a key there. */
const NAME = /^[a-z0-9-]{1,64}$/;

export interface Show {
  readonly name: string;
  readonly title: string;
  readonly onAir: PollId | null;
}

/** What somebody shows who wants to change a show. */
export interface ShowAccess {
  readonly key: PresentedKey | undefined;
  readonly isOperatorKey: IsOperatorKey;
}

interface StoredShow {
  readonly title: string;
  readonly onAir: PollId | null;
  /** SHA-256, hex. */
  readonly keyHash: string;
}

type Ports = Pick<Engine, 'polls' | 'hints' | 'records'>;

/** Under which a show's record is stored, and its changes are hinted. */
export function showTopic(name: string): string {
  return `show:${name}`;
}

/** The poll on air, from the text of a show's record. */
export function onAirOf(text: string | undefined): PollId | null {
  return text === undefined ? null : parse(text).onAir;
}

/**
 * Takes a name. Safe to do again with the same key.
 *
 * @param show what `createShowBody` has let pass
 * @throws PollError `show_name_taken`
 */
export async function createShow(
  { records }: Pick<Ports, 'records'>,
  { name, title }: Pick<Show, 'name' | 'title'>,
  keyHash: string,
): Promise<void> {
  const show: StoredShow = { title, onAir: null, keyHash };
  const stored = parse(await records.putIfAbsent(showTopic(name), JSON.stringify(show)));
  if (!sameDigest(stored.keyHash, keyHash)) throw new PollError('show_name_taken');
}

export async function findShow({ records }: Pick<Ports, 'records'>, name: string): Promise<Show | undefined> {
  const text = NAME.test(name) ? await records.find(showTopic(name)) : undefined;
  return text === undefined ? undefined : shown(name, parse(text));
}

/**
 * Followers hear of it at once. Two changes at the same moment are made one after the other, and none is lost.
 *
 * @throws PollError `show_not_found`, `api_key_required`, `api_key_rejected`, `poll_not_found`
 */
export async function changeShow(
  engine: Ports,
  name: string,
  change: ShowChange,
  access: ShowAccess,
): Promise<Show> {
  const { title, onAir } = change;
  const show = await rewrite(engine, name, access, async stored => {
    if (onAir && onAir !== REHEARSAL_ID && !(await engine.polls.find(onAir)))
      throw new PollError('poll_not_found');
    return { ...stored, title: title ?? stored.title, onAir: onAir === undefined ? stored.onAir : onAir };
  });
  return shown(name, show);
}

/**
 * Gives the name back. The polls stay, and followers hear that nothing is on air.
 *
 * @throws PollError `show_not_found`, `api_key_required`, `api_key_rejected`
 */
export async function removeShow(engine: Ports, name: string, access: ShowAccess): Promise<void> {
  await rewrite(engine, name, access, async () => undefined);
}

/** Reads, judges and writes until nobody else wrote in between: somebody gets ahead each time, so it ends. */
async function rewrite<Next extends StoredShow | undefined>(
  { records, hints }: Ports,
  name: string,
  access: ShowAccess,
  next: (stored: StoredShow) => Promise<Next>,
): Promise<Next> {
  for (;;) {
    const text = NAME.test(name) ? await records.find(showTopic(name)) : undefined;
    if (text === undefined) throw new PollError('show_not_found');
    const stored = parse(text);
    judge(stored, access);
    const wanted = await next(stored);
    if (await records.replace(showTopic(name), text, wanted && JSON.stringify(wanted))) {
      // Done is done: where the hint is lost, the followers' sweep finds it.
      await hints.publish(showTopic(name)).catch(() => {});
      return wanted;
    }
  }
}

function judge({ keyHash }: StoredShow, { key, isOperatorKey }: ShowAccess): void {
  if (!key)
    throw new PollError('api_key_required', {
      message: 'Changing a show needs its show_key, or an operator’s API key.',
    });
  const [owner, operator] = [sameDigest(key.hash, keyHash), isOperatorKey(key.hash, 'manage')];
  if ((owner || operator) && key.carrier !== 'query') return;
  throw new PollError('api_key_rejected', {
    message: 'This key does not open this show. Its show_key does, in a header.',
  });
}

/** Before shows had owners, a record was the bare id of a poll. Nobody's key opens such a show but an operator's. */
function parse(text: string): StoredShow {
  return text.startsWith('{') ? JSON.parse(text) : { title: '', onAir: text, keyHash: '' };
}

function shown(name: string, { title, onAir }: StoredShow): Show {
  return { name, title, onAir };
}
