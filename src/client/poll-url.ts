export interface PollAddress {
  /** Where the relay is, without a slash at the end. */
  readonly relay: string;
  readonly id: string;
  readonly key: string | undefined;
}

/**
 * Reads the address of a poll from any URL that names it: `…/api/poll/<id>`, `…/overlay/<id>`, and, where relay and voting
 * front end share an address, `…/<id>` and `…/<id>/manage`. The key may stand in the fragment (`#key=…`), where it reaches
 * no log, or in the query (`?key=…`).
 *
 * @throws TypeError where the URL names no poll
 */
export function parsePollUrl(url: string | URL): PollAddress {
  const page = (globalThis as { location?: { href: string } }).location;
  const { origin, pathname, hash, searchParams } = new URL(url, page?.href);
  const [, prefix, id] =
    /^(.*?)\/(?:(?:api\/poll|overlay)\/)?([\w-]{1,64})(?:\/(?:live|manage|results))?\/?$/.exec(pathname) ??
    [];
  if (id === undefined) throw new TypeError(`The URL names no poll: ${origin}${pathname}`);
  const key = new URLSearchParams(hash.slice(1)).get('key') ?? searchParams.get('key') ?? undefined;
  return { relay: origin + prefix, id, key };
}
