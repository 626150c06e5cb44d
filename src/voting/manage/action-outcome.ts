import { fill } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';
import type { Notice } from '../page/notice.ts';

/** What a button did; the page that says so puts it into words. */
export type ActionOutcome =
  | {
      readonly done: keyof Phrases['manage']['done'];
      /** What the new key comes from: with it and the secret of this server the next page can show the key. */
      readonly viewKeyToken?: string;
      readonly adminKeyToken?: string;
    }
  /** A show has the poll on air. */
  | { readonly done: 'on_air'; readonly show: string; readonly overlay: string }
  /** Everything is as it was asked for already. */
  | { readonly done: 'unchanged' }
  /** Nothing was changed. */
  | { readonly refused: keyof Phrases['manage']['refused'] };

export function outcomeNotice({ manage }: Phrases, outcome: ActionOutcome): Notice {
  if ('refused' in outcome) {
    const text = fill(manage.refused[outcome.refused], { word: manage.remove.word });
    return { tone: 'problem', title: manage.unchanged, text };
  }
  if (outcome.done === 'unchanged') return { tone: 'calm', title: manage.unchanged, text: false };
  if (outcome.done !== 'on_air') return { tone: 'good', ...manage.done[outcome.done] };
  const { title, text } = manage.onAirNow;
  return {
    tone: 'good',
    title: fill(title, { name: outcome.show }),
    text: fill(text, { address: outcome.overlay }),
  };
}
