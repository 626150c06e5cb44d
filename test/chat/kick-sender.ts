import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Webhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SignedAt {
  readonly id?: string;
  readonly atMs?: number;
  /** When the message was written; default when it is signed. */
  readonly createdAtMs?: number;
}

/** Signs webhooks as Kick does, with a key of its own. */
export class KickSender {
  readonly publicKey: KeyObject;
  readonly #privateKey: KeyObject;

  constructor(type: 'rsa' | 'ed25519' = 'rsa') {
    const keys =
      type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2_048 }) : generateKeyPairSync('ed25519');
    this.publicKey = keys.publicKey;
    this.#privateKey = keys.privateKey;
  }

  /** A file with the public key, for CHAT_KICK_PUBLIC_KEY_FILE. */
  keyFile(): string {
    const file = join(mkdtempSync(join(tmpdir(), 'tallycast-kick-')), 'kick.pem');
    writeFileSync(file, this.publicKey.export({ type: 'spki', format: 'pem' }));
    return file;
  }

  said(slug: string, userId: number, content: string, given: SignedAt = {}): Webhook {
    const { id = newId(), atMs = Date.now(), createdAtMs = atMs } = given;
    return this.signed(
      'chat.message.sent',
      {
        message_id: `chat-${id}`,
        replies_to: null,
        broadcaster: user(1_000, slug),
        sender: user(userId, `user-${userId}`),
        content,
        emotes: [],
        created_at: new Date(createdAtMs).toISOString().replace(/\.\d+/, ''),
      },
      { id, atMs },
    );
  }

  banned(slug: string, userId: number) {
    return this.signed('moderation.banned', {
      broadcaster: user(1_000, slug),
      moderator: user(2_000, 'moderator'),
      banned_user: user(userId, `user-${userId}`),
      metadata: { reason: 'spam', created_at: new Date().toISOString(), expires_at: null },
    });
  }

  signed(type: string, event: unknown, { id = newId(), atMs = Date.now() }: SignedAt = {}): Webhook {
    const body = typeof event === 'string' ? event : JSON.stringify(event);
    const timestamp = new Date(atMs).toISOString().replace(/\.\d+/, '');
    const digest = this.#privateKey.asymmetricKeyType === 'rsa' ? 'sha256' : null;
    const signature = sign(digest, Buffer.from(`${id}.${timestamp}.${body}`), this.#privateKey);
    return {
      headers: {
        'content-type': 'application/json',
        'kick-event-message-id': id,
        'kick-event-message-timestamp': timestamp,
        'kick-event-signature': signature.toString('base64'),
        'kick-event-subscription-id': 'subscription',
        'kick-event-type': type,
        'kick-event-version': '1',
      },
      body,
    };
  }
}

/** @returns status and body of the reply */
export async function send(url: string, { headers, body }: Webhook): Promise<[number, string]> {
  const reply = await fetch(`${url}/chat/kick`, { method: 'POST', headers, body });
  return [reply.status, await reply.text()];
}

function newId(): string {
  return randomBytes(13).toString('hex').toUpperCase();
}

function user(id: number, slug: string) {
  return {
    is_anonymous: false,
    user_id: id,
    username: slug.replaceAll('-', '_'),
    is_verified: false,
    profile_picture: '',
    channel_slug: slug,
    identity: null,
  };
}
