import { askRelay, keyHeaders } from './ask-relay.ts';
import { CommandFailure } from './command-failure.ts';

export interface ShowCommandOptions {
  readonly relay: string;
  readonly show: string;
  /** Null points the show to nothing. */
  readonly id: string | null;
  /** The show's own, or an operator's. */
  readonly key: string | undefined;
}

/** Points a show to a poll: every overlay that follows the show switches at once. @throws CommandFailure */
export async function showCommand({ relay, show, id, key }: ShowCommandOptions): Promise<void> {
  if (key === undefined)
    throw new CommandFailure(
      'Pointing a show needs its show_key, or an operator’s API key: --key, or TALLYCAST_KEY.',
    );
  const base = relay.replace(/\/+$/, '');
  await askRelay(`${base}/api/show/${encodeURIComponent(show)}`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json', ...keyHeaders(key) },
    body: JSON.stringify({ show: { on_air: id } }),
  });
  console.log(
    id === null ? `${show} shows nothing now` : `${show} shows ${id} now: ${base}/overlay/show/${show}`,
  );
}
