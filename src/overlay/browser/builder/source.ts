import type { OverlayTarget } from '../../parameter/overlay-address.ts';
import { parameters } from '../../parameter/parameters.ts';
import { type Link, readLink } from '../../parameter/read-link.ts';
import { type Finding, lookUp } from './look-up.ts';
import { texts } from './texts.ts';

/** Typing asks the relay once it pauses. */
const PAUSE_MS = 300;

export interface Source {
  readonly target: OverlayTarget;
  readonly key: string | undefined;
  /** Why there is no address to copy. */
  readonly fault: string | undefined;
  /** Of the poll, as far as they are known. */
  readonly answers: readonly string[];
  /** The relay keeps the results from whoever has this key, or none. */
  readonly hidden: boolean;
}

export interface SourceElements {
  readonly link: HTMLInputElement;
  readonly key: HTMLInputElement;
  readonly keyField: HTMLElement;
  /** Says what was pasted, and what the relay knows of it. */
  readonly said: HTMLElement;
  readonly other: HTMLButtonElement;
}

/** What the overlay shows: whatever was pasted, once it is known for what it is. */
export class SourceField {
  readonly #elements: SourceElements;
  readonly #relay: string;
  readonly #onChange: (look: URLSearchParams | undefined) => void;
  #target: OverlayTarget = { kind: 'rehearsal' };
  #either = false;
  #what = '';
  #notes = '';
  #relayOfLink: string | undefined;
  #fault: string | undefined;
  #finding: Finding | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #question = 0;

  /** @param onChange is told how an overlay looks whose address was pasted */
  constructor(
    relay: string,
    elements: SourceElements,
    onChange: (look: URLSearchParams | undefined) => void,
  ) {
    this.#relay = relay;
    this.#elements = elements;
    this.#onChange = onChange;
    elements.link.addEventListener('input', () => this.take(elements.link.value));
    elements.key.addEventListener('input', () => {
      this.#ask();
      onChange(undefined);
    });
    elements.other.addEventListener('click', () => this.#readOtherwise());
    this.#say();
  }

  get(): Source {
    const finding = this.#finding;
    return {
      target: this.#target,
      key: this.#target.kind === 'rehearsal' ? undefined : this.#elements.key.value.trim() || undefined,
      fault: this.#fault ?? this.#faultOf(finding),
      answers: finding?.kind === 'poll' ? finding.answers : [],
      hidden: finding?.kind === 'hidden',
    };
  }

  /** Takes whatever was pasted or typed. A link is replaced by what it names. */
  take(text: string): void {
    const pasted = text.trim();
    if (pasted === '') {
      this.#become({ what: '', target: { kind: 'rehearsal' } });
      this.#onChange(undefined);
      return;
    }
    const link = readLink(pasted);
    if ('fault' in link) {
      this.#become({ what: '', target: { kind: 'rehearsal' } });
      this.#fault = link.fault;
      this.#say();
      this.#onChange(undefined);
      return;
    }
    this.#become(link);
    const name = nameOf(link.target);
    if (name !== pasted) this.#elements.link.value = name;
    this.#onChange(link.look);
  }

  #become(link: Link): void {
    this.#target = link.target;
    this.#either = link.either ?? false;
    this.#what = link.what;
    this.#relayOfLink = link.relay;
    this.#fault = undefined;
    if (link.viewKey !== undefined) this.#elements.key.value = link.viewKey;
    const strange = [...(link.look?.keys() ?? [])].filter(name => !(name in parameters));
    this.#notes = [
      link.look && link.look.size > 0 && !link.own ? texts.takenOver : '',
      link.leavesKey ? texts.leftKey : '',
      strange.length > 0 ? texts.unknown([...new Set(strange)].join(', ')) : '',
    ]
      .filter(Boolean)
      .join(' ');
    this.#ask();
  }

  #readOtherwise(): void {
    const name = nameOf(this.#target);
    this.#target = this.#target.kind === 'poll' ? { kind: 'show', name } : { kind: 'poll', id: name };
    this.#what = this.#target.kind === 'poll' ? 'the id of a poll' : 'the name of a show';
    this.#ask();
    this.#elements.link.focus();
    this.#onChange(undefined);
  }

  #ask(): void {
    clearTimeout(this.#timer);
    this.#finding = undefined;
    const question = ++this.#question;
    const target = this.#target;
    this.#say();
    if (target.kind === 'rehearsal') return;
    this.#timer = setTimeout(async () => {
      const finding = await lookUp(this.#relay, target, this.get().key);
      if (question !== this.#question) return;
      this.#finding = finding;
      this.#say();
      this.#onChange(undefined);
    }, PAUSE_MS);
  }

  #say(): void {
    const { said, other, keyField } = this.#elements;
    const { fault } = this.get();
    said.textContent = fault ?? this.#describe();
    said.classList.toggle('bad', fault !== undefined);
    keyField.hidden = this.#target.kind === 'rehearsal';
    other.hidden = !this.#either;
    other.textContent = this.#target.kind === 'poll' ? texts.readAsShow : texts.readAsPoll;
  }

  #describe(): string {
    if (this.#target.kind === 'rehearsal')
      return `${this.#what === '' ? texts.rehearses : texts.isRehearsal} ${this.#notes}`;
    return [texts.isA(this.#what), this.#describeFinding(), this.#notes].filter(Boolean).join(' ');
  }

  #describeFinding(): string {
    const finding = this.#finding;
    switch (finding?.kind) {
      case undefined:
        return texts.asking;
      case 'poll':
        return texts.poll(finding.title, texts.status[finding.status] ?? finding.status);
      case 'show':
        return texts.show(nameOf(this.#target), finding.title, finding.onAir);
      case 'hidden':
        return texts.hidden;
      case 'away':
        return texts.away;
      default:
        return texts.noShow(nameOf(this.#target));
    }
  }

  /** Nobody wants an address that draws nothing; the name of a show may be taken later. */
  #faultOf(finding: Finding | undefined): string | undefined {
    if (finding?.kind === 'wrong-key') return texts.wrongKey;
    if (finding?.kind !== 'missing' || this.#target.kind !== 'poll') return undefined;
    const elsewhere = this.#relayOfLink === this.#relay ? undefined : this.#relayOfLink;
    return texts.noPoll(this.#target.id, elsewhere);
  }
}

function nameOf(target: OverlayTarget): string {
  if (target.kind === 'rehearsal') return '';
  return target.kind === 'poll' ? target.id : target.name;
}
