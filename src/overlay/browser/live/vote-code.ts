import type { OverlayTarget } from '../../parameter/overlay-address.ts';
import type { VoteCode } from '../drawing/code-card.ts';

/** A relay that starts is asked soon again, one that knows no such poll or show now and then: it may be taken later. */
const PAUSES_MS = { away: 2_000, unknown: 15_000 } as const;

/** Only this machine reaches these: a phone would look for the vote on itself. */
const OWN_HOST = /^(?:localhost|.+\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])$/;

/**
 * Gets the code of what an overlay follows from its relay, which knows where people vote; the picture needs no maker of codes.
 *
 * @returns stops asking
 */
export function loadVoteCode(
  relay: string,
  target: OverlayTarget,
  onCode: (code: VoteCode) => void,
): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const load = async () => {
    const reply = await fetch(`${relay}/api/${pathOf(target)}/qr.svg`, { signal }).catch(() => undefined);
    const code = reply?.ok ? readCode(await reply.text().catch(() => '')) : undefined;
    if (signal.aborted) return;
    if (code) onCode(code);
    else timer = setTimeout(() => void load(), reply?.status === 404 ? PAUSES_MS.unknown : PAUSES_MS.away);
  };
  void load();
  return () => {
    abort.abort();
    clearTimeout(timer);
  };
}

/** Returns the code's host where phones cannot reach it. */
export function localHostOf({ address }: VoteCode): string | undefined {
  const { host, hostname } = new URL(address);
  return OWN_HOST.test(hostname) ? host : undefined;
}

function pathOf(target: OverlayTarget): string {
  if (target.kind === 'show') return `show/${encodeURIComponent(target.name)}`;
  return `poll/${target.kind === 'poll' ? encodeURIComponent(target.id) : 'rehearsal'}`;
}

/** Where anything else came than a code of ours, there is none. */
function readCode(svg: string): VoteCode | undefined {
  const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  const address = drawing.querySelector('title')?.textContent ?? '';
  const modules = Number(drawing.getAttribute('viewBox')?.split(' ').at(-1));
  const dark = drawing.querySelector('path:last-of-type')?.getAttribute('d');
  return dark && modules > 0 && URL.canParse(address) ? { address, modules, dark } : undefined;
}
