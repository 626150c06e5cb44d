import { createHash } from 'node:crypto';
import type { Engine } from '../../engine/engine.ts';
import { draftToPoll, isPollId } from '../../poll/create-poll.ts';
import type { PollId } from '../../poll/poll.ts';
import { hashKey } from '../../poll/poll-key.ts';
import type { PollDraft } from '../../poll/poll-schema.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';

export interface CreatedPoll {
  readonly id: PollId;
  readonly adminKey: string;
  readonly viewKey: string;
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;

/**
 * Creates the poll that a form asked for. Its id and keys come from the form's own random token and from what was filled in:
 * the same form sent twice, by a double click or a reload, makes one poll and shows the same keys, with none of them stored.
 *
 * @param token 256 random bits that only this form carries
 */
export async function createFromForm(
  engine: Engine,
  readSecret: ReadSecret,
  draft: PollDraft,
  token: string,
): Promise<CreatedPoll> {
  const secret = await readSecret();
  const content = createHash('sha256').update(JSON.stringify(draft)).digest('base64url');
  const derive = (what: string) => secret.bytes('create', token, content, what);
  const created = {
    id: idFrom(derive('id')),
    adminKey: `admin_${derive('admin key').toString('base64url')}`,
    viewKey: `view_${derive('view key').toString('base64url')}`,
  };
  const keys = { adminKeyHash: hashKey(created.adminKey), viewKeyHash: hashKey(created.viewKey) };
  await engine.polls.create(draftToPoll(draft, created.id, keys, await engine.polls.now()));
  return created;
}

/** 256 bits over 62^12 ids: no letter is likelier than another that anybody could tell. */
function idFrom(bytes: Buffer): PollId {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let id = '';
  while (id.length < ID_LENGTH) {
    id += ALPHABET[Number(rest % 62n)];
    rest /= 62n;
  }
  if (!isPollId(id)) throw new Error('not an id');
  return id;
}
