import { readParameters, type Settings } from './parameters.ts';

/** What an overlay follows. A rehearsal simulates votes, with the look of a show if the address is a show's. */
export type OverlayTarget =
  | { readonly kind: 'poll'; readonly id: string }
  | { readonly kind: 'show'; readonly name: string }
  | { readonly kind: 'rehearsal'; readonly show?: string | undefined };

export interface OverlayAddress {
  /** URL of the relay, without a slash at the end. */
  readonly relay: string;
  readonly target: OverlayTarget;
  readonly settings: Settings;
  readonly key: string | undefined;
  /** A preview at the desk, which does not count as a screen. */
  readonly preview: boolean;
  /** The poll that a preview of a show always has on air. */
  readonly previewOf: string | undefined;
}

const PATH = /^(.*?)\/overlay\/(?:show\/)?([^/]+)\/?$/;
const SHOW = /\/overlay\/show\/[^/]+\/?$/;

/**
 * Parses `<relay>/overlay/<id>?…#key=…` or `<relay>/overlay/show/<name>?…#key=…`.
 *
 * @throws TypeError for any other URL
 */
export function parseOverlayAddress(url: string): OverlayAddress {
  const { origin, pathname, hash, searchParams } = new URL(url);
  const [, prefix, last] = PATH.exec(pathname) ?? [];
  if (last === undefined) throw new TypeError(`This is no overlay: ${origin}${pathname}`);
  const { settings } = readParameters(searchParams);
  const fragment = new URLSearchParams(hash.slice(1));
  return {
    relay: `${origin}${prefix}`,
    target: readTarget(pathname, decode(last), settings),
    settings,
    key: fragment.get('key') || undefined,
    preview: fragment.has('preview'),
    previewOf: fragment.get('preview') || undefined,
  };
}

function readTarget(pathname: string, last: string, settings: Settings): OverlayTarget {
  const show = SHOW.test(pathname) ? last : undefined;
  if (settings.rehearsal) return { kind: 'rehearsal', ...(show !== undefined && { show }) };
  return show === undefined ? { kind: 'poll', id: last } : { kind: 'show', name: show };
}

/** Keeps a part that is not valid percent-encoding. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns an overlay's URL. The key is in the fragment, which is never sent. */
export function formatOverlayAddress(
  relay: string,
  target: OverlayTarget,
  query: URLSearchParams,
  key: string | undefined,
): string {
  const search = `${query}` && `?${query}`;
  const fragment = key ? `#${new URLSearchParams({ key })}` : '';
  const isOfShow = target.kind === 'show' || (target.kind === 'rehearsal' && target.show !== undefined);
  const name = target.kind === 'rehearsal' ? (target.show ?? nameOf(target)) : nameOf(target);
  const path = `${isOfShow ? 'show/' : ''}${encodeURIComponent(name)}`;
  return `${relay}/overlay/${path}${search}${fragment}`;
}

/** Returns the ID of a poll, the name of a show, or `rehearsal`. */
export function nameOf(target: OverlayTarget): string {
  if (target.kind === 'rehearsal') return 'rehearsal';
  return target.kind === 'poll' ? target.id : target.name;
}
