export interface PollAddress {
  /** Base URL of the relay, without a trailing slash. */
  readonly relay: string;
  readonly id: string;
  readonly key: string | undefined;
}

/** A page or stream that names no poll: of a show, or with the id left out. */
const NO_POLL =
  /\/(?:api\/poll|api\/live|overlay|(?:api\/|overlay\/)?(?:show|desk)(?:\/[\w-]+)?)(?:\/+(?:live|manage|results))?\/*$/;
const POLL_PATH = /^(.*?)\/(?:(?:api\/poll|overlay)\/)?([\w-]{1,64})(?:\/(?:live|manage|results))?\/?$/;

/**
 * Parses any URL that names a poll: `…/api/poll/<id>`, `…/overlay/<id>`, and, where relay and
 * voting front end share an origin, `…/<id>` and `…/<id>/manage`. The key comes from the fragment
 * (`#key=…`), which no server logs, or the query (`?key=…`).
 *
 * @throws TypeError unless the URL is http or https and names a poll
 */
export function parsePollUrl(url: string | URL): PollAddress {
  const { origin, pathname, hash, searchParams } = httpUrl(url);
  const [, prefix, id] = (NO_POLL.test(pathname) ? null : POLL_PATH.exec(pathname)) ?? [];
  if (id === undefined) throw new TypeError(`The URL names no poll: ${origin}${pathname}`);
  const key = new URLSearchParams(hash.slice(1)).get('key') ?? searchParams.get('key') ?? undefined;
  return { relay: origin + prefix, id, key };
}

/** Converts `ws` and `wss`, as in `links.live`, to `http` and `https`. @throws TypeError for any other scheme */
export function httpUrl(url: string | URL): URL {
  const page = (globalThis as { location?: { href: string } }).location;
  const http = new URL(url, page?.href).href.replace(/^ws/, 'http');
  if (!/^https?:/.test(http)) throw new TypeError(`Not an http or https URL: ${http}`);
  return new URL(http);
}
