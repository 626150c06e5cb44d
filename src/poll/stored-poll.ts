import type { Poll, PollSettings } from './poll.ts';

/** The names that settings have on the wire, in stored data and in archives. */
export const SETTING_NAMES = {
  isPrivate: 'priv',
  allowComments: 'co',
  allowMultiple: 'ma',
  sharedAddress: 'mip',
  requireName: 'enter_name',
  requireSignIn: 'only_reg',
  allowVpn: 'vpn',
  hasImage: 'has_image',
} as const satisfies Record<keyof PollSettings, string>;

export type StoredSettings = Readonly<Record<(typeof SETTING_NAMES)[keyof PollSettings], boolean>>;

/** A poll as engines and archives store it. */
export interface StoredPoll extends Omit<Poll, 'settings'> {
  readonly settings: StoredSettings;
}

export function toStoredPoll(poll: Poll): StoredPoll {
  const entries = Object.entries(poll.settings) as [keyof PollSettings, boolean][];
  const settings = Object.fromEntries(entries.map(([name, value]) => [SETTING_NAMES[name], value]));
  return { ...poll, settings: settings as StoredSettings };
}

export function fromStoredPoll(stored: StoredPoll): Poll {
  return { ...stored, settings: readSettings(stored.settings) };
}

/** @param stored may have other members, which are left out */
export function readSettings(stored: StoredSettings): PollSettings {
  const names = Object.entries(SETTING_NAMES) as [keyof PollSettings, keyof StoredSettings][];
  return Object.fromEntries(names.map(([name, wire]) => [name, stored[wire]])) as unknown as PollSettings;
}
