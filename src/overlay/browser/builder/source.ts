import { catalogueFor } from '../../../locales/catalogues.ts';
import { fill } from '../../../locales/i18n.ts';
import { nameOf, type OverlayTarget } from '../../../picture/overlay-address.ts';
import { parameters } from '../../../picture/parameters.ts';
import { type Link, type NoLink, readLink } from '../../../picture/read-link.ts';

/** URL of the relay that serves this page, without a slash at the end. A proxy may add a path. */
export const relay = location.origin + location.pathname.replace(/\/overlay\/?$/, '');

export const find = <E extends HTMLElement>(id: string) => document.getElementById(id) as E;

export const words = catalogueFor(document.documentElement.lang).builder;

/** What the relay sends of a show without its key. */
export interface FoundShow {
  readonly look: Readonly<Record<string, unknown>> | null;
  /** Paths of the images on the relay. */
  readonly logo: string | null;
  readonly ground: string | null;
}

export interface Source {
  readonly target: OverlayTarget;
  readonly key: string | undefined;
  readonly fault: string | undefined;
  readonly answers: readonly string[];
  /** The results are hidden without another key. */
  readonly hidden: boolean;
  /** The show, once the relay has answered. */
  readonly show: FoundShow | undefined;
}

type Finding =
  | {
      readonly kind: 'poll';
      readonly title: string;
      readonly status: 'upcoming' | 'open' | 'closed';
      readonly answers: readonly string[];
    }
  | ({ readonly kind: 'show'; readonly title: string; readonly onAir: boolean } & FoundShow)
  | { readonly kind: 'hidden' | 'wrong-key' | 'missing' | 'away' };

const FINDING_OF_STATUS: Readonly<Record<number, 'hidden' | 'wrong-key' | 'missing'>> = {
  400: 'missing',
  401: 'hidden',
  403: 'wrong-key',
  404: 'missing',
};
/** The relay is asked once typing pauses. */
const PAUSE_MS = 300;
const NO_LINK: Link = { what: undefined, target: { kind: 'rehearsal' } };

/** The fields for link and key. Recognizes the link and looks it up at the relay. */
export class SourceField {
  readonly #input = find<HTMLInputElement>('link');
  readonly #key = find<HTMLInputElement>('key');
  readonly #onChange: (look: URLSearchParams | undefined) => void;
  #link: Link & Partial<NoLink> = NO_LINK;
  #finding: Finding | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onChange gets the parameters of a pasted overlay URL */
  constructor(onChange: (look: URLSearchParams | undefined) => void) {
    this.#onChange = onChange;
    this.#input.addEventListener('input', () => this.take(this.#input.value));
    this.#key.addEventListener('input', () => this.#follow(this.#link));
    find('other').addEventListener('click', () => this.#readAsOther());
    this.#render();
  }

  get(): Source {
    const { target, fault } = this.#link;
    const finding = this.#finding;
    return {
      target,
      key: target.kind === 'rehearsal' ? undefined : this.#key.value.trim() || undefined,
      fault: fault === undefined ? this.#faultOf(finding) : words.faults[fault],
      answers: finding?.kind === 'poll' ? finding.answers : [],
      hidden: finding?.kind === 'hidden',
      show: finding?.kind === 'show' ? finding : undefined,
    };
  }

  /** Handles pasted or typed text. A link is replaced by its poll ID or show name. */
  take(text: string): void {
    const pasted = text.trim();
    const link = pasted === '' ? NO_LINK : readLink(pasted);
    if ('fault' in link) {
      this.#follow({ ...NO_LINK, ...link });
      return;
    }
    if (link.viewKey !== undefined) this.#key.value = link.viewKey;
    if (link.showKey !== undefined) find<HTMLInputElement>('show-key').value = link.showKey;
    const name = link.target.kind === 'rehearsal' ? '' : nameOf(link.target);
    if (pasted !== '') this.#input.value = name;
    this.#follow(link, link.look);
  }

  /** After a change of the show that was found. */
  replaceShow({ look, logo, ground }: FoundShow): void {
    if (this.#finding?.kind === 'show') this.#finding = { ...this.#finding, look, logo, ground };
  }

  /** Switches an ambiguous word between poll ID and show name. */
  #readAsOther(): void {
    const { target } = this.#link;
    const name = nameOf(target);
    this.#follow(
      target.kind === 'poll'
        ? { ...this.#link, what: 'showName', target: { kind: 'show', name } }
        : { ...this.#link, what: 'pollId', target: { kind: 'poll', id: name } },
    );
    this.#input.focus();
  }

  #follow(link: Link & Partial<NoLink>, look?: URLSearchParams): void {
    this.#link = link;
    this.#finding = undefined;
    clearTimeout(this.#timer);
    const { target } = link;
    const timer = setTimeout(async () => {
      if (target.kind === 'rehearsal') return;
      const finding = await lookUp(target, this.get().key);
      if (timer !== this.#timer) return;
      this.#finding = finding;
      this.#render();
      this.#onChange(undefined);
    }, PAUSE_MS);
    this.#timer = timer;
    this.#render();
    this.#onChange(look);
  }

  #render(): void {
    const { target, either } = this.#link;
    const { fault } = this.get();
    const said = find('said');
    said.textContent = fault ?? this.#describe();
    said.classList.toggle('bad', fault !== undefined);
    find('key-field').hidden = target.kind === 'rehearsal';
    find('other').hidden = !either;
    find('other').textContent = target.kind === 'poll' ? words.isShowName : words.isPollId;
  }

  #describe(): string {
    const { target, what, look, own, leavesKey } = this.#link;
    const unknown = new Set([...(look?.keys() ?? [])].filter(name => !(name in parameters)));
    return [
      ...(target.kind === 'rehearsal'
        ? [what === undefined ? words.nothingPasted : words.isRehearsal]
        : [what && words.links[what], describeFinding(this.#finding, target)]),
      look && `${look}` !== '' && !own && words.lookApplied,
      leavesKey && words.keyLeftOut,
      unknown.size > 0 && fill(words.unknown, { names: [...unknown].join(', ') }),
    ]
      .filter(Boolean)
      .join(' ');
  }

  /** An unknown poll is a fault. An unknown show may still be created. */
  #faultOf(finding: Finding | undefined): string | undefined {
    const { target, relay: other } = this.#link;
    if (finding?.kind === 'wrong-key') return words.found.wrongKey;
    if (finding?.kind !== 'missing' || target.kind !== 'poll') return undefined;
    const { noPoll, noPollHere } = words.found;
    if (other === undefined || other === relay) return fill(noPoll, { id: target.id });
    return fill(noPollHere, { id: target.id, relay: other });
  }
}

/** Never throws: a relay that does not answer is `away`. */
async function lookUp(
  target: Exclude<OverlayTarget, { kind: 'rehearsal' }>,
  key: string | undefined,
): Promise<Finding> {
  try {
    const headers = key !== undefined && target.kind === 'poll' ? { 'x-api-key': key } : {};
    const path = `${relay}/api/${target.kind}/${encodeURIComponent(nameOf(target))}`;
    const reply = await fetch(path, { headers, cache: 'no-store' });
    if (!reply.ok) return { kind: FINDING_OF_STATUS[reply.status] ?? 'away' };
    const body = await reply.json();
    if (target.kind === 'show') {
      const { title, on_air, look, logo, ground } = body;
      return { kind: 'show', title: title ?? '', onAir: on_air !== null, look, logo, ground };
    }
    const answers = (body.poll_answers as { answer: string }[]).map(({ answer }) => answer);
    return { kind: 'poll', title: body.title, status: body.status, answers };
  } catch {
    return { kind: 'away' };
  }
}

function describeFinding(finding: Finding | undefined, target: OverlayTarget): string {
  const { found } = words;
  switch (finding?.kind) {
    case undefined:
      return words.asking;
    case 'poll':
      return fill(found[finding.status], { title: finding.title });
    case 'show':
      return fill(finding.onAir ? found.onAir : found.offAir, { title: finding.title || nameOf(target) });
    case 'hidden':
    case 'away':
      return found[finding.kind];
    default:
      return fill(found.noShow, { name: nameOf(target) });
  }
}
