import type { OverlayTarget } from '../../parameter/overlay-address.ts';

/** What the relay says of a poll or a show, as far as the builder asks. */
export type Finding =
  | {
      readonly kind: 'poll';
      readonly title: string;
      readonly status: string;
      readonly answers: readonly string[];
    }
  | { readonly kind: 'show'; readonly title: string; readonly onAir: boolean }
  | { readonly kind: 'hidden' | 'wrong-key' | 'missing' | 'away' };

const STATUS = { hidden: 401, wrongKey: 403, invalid: 400, missing: 404 };

/** Never throws: a relay that does not answer is `away`. */
export async function lookUp(
  relay: string,
  target: Exclude<OverlayTarget, { kind: 'rehearsal' }>,
  key: string | undefined,
): Promise<Finding> {
  const path =
    target.kind === 'poll'
      ? `poll/${encodeURIComponent(target.id)}`
      : `show/${encodeURIComponent(target.name)}`;
  try {
    const headers = key !== undefined && target.kind === 'poll' ? { 'x-api-key': key } : {};
    const reply = await fetch(`${relay}/api/${path}`, { headers, cache: 'no-store' });
    if (reply.status === STATUS.hidden) return { kind: 'hidden' };
    if (reply.status === STATUS.wrongKey) return { kind: 'wrong-key' };
    if (reply.status === STATUS.missing || reply.status === STATUS.invalid) return { kind: 'missing' };
    if (!reply.ok) return { kind: 'away' };
    const body = await reply.json();
    if (target.kind === 'show') return { kind: 'show', title: body.title ?? '', onAir: body.on_air !== null };
    const answers = (body.poll_answers as { answer: string }[]).map(({ answer }) => answer);
    return { kind: 'poll', title: body.title, status: body.status, answers };
  } catch {
    return { kind: 'away' };
  }
}
