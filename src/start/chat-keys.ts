import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Config, chatKeyFiles, InvalidSettings } from './config.ts';

export interface ChatKeys {
  readonly youtube: string | undefined;
  readonly kick: KeyObject | undefined;
}

/** Reads the keys of the chats that this process reads. @throws InvalidSettings that shows no key */
export function readChatKeys(config: Config): ChatKeys {
  const { CHAT_YOUTUBE_KEY_FILE: youtube, CHAT_KICK_PUBLIC_KEY_FILE: kick } = chatKeyFiles(config);
  return { youtube: youtube && youtubeKey(youtube), kick: kick ? kickKey(kick) : undefined };
}

function youtubeKey(file: string): string {
  const key = readFileSync(file, 'utf8').trim();
  if (/^[\w-]{1,200}$/.test(key)) return key;
  throw new InvalidSettings(`CHAT_YOUTUBE_KEY_FILE ${file}: must contain an API key and nothing else`);
}

function kickKey(file: string): KeyObject {
  const key = publicKeyIn(readFileSync(file, 'utf8'));
  if (key?.asymmetricKeyType === 'rsa' || key?.asymmetricKeyType === 'ed25519') return key;
  throw new InvalidSettings(
    `CHAT_KICK_PUBLIC_KEY_FILE ${file}: must contain a public key in PEM, RSA or Ed25519`,
  );
}

function publicKeyIn(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}
