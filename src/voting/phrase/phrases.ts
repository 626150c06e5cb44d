import { createPhrases } from './create-phrases.ts';
import { deskPhrases } from './desk-phrases.ts';
import type { CreatePhrases } from './en/create.ts';
import type { DeskPhrases } from './en/desk.ts';
import type { LivePhrases } from './en/live.ts';
import type { ManagePhrases } from './en/manage.ts';
import type { RefusalPhrases } from './en/refusal.ts';
import type { ShowPhrases } from './en/show.ts';
import type { ShowSharePhrases } from './en/show-share.ts';
import type { VotePhrases } from './en/vote.ts';
import { directionOf, type Language, languageOf } from './language.ts';
import { livePhrases } from './live-phrases.ts';
import { managePhrases } from './manage-phrases.ts';
import { refusalPhrases } from './refusal-phrases.ts';
import { showPhrases } from './show-phrases.ts';
import { showSharePhrases } from './show-share-phrases.ts';
import { votePhrases } from './vote-phrases.ts';
import { Wording } from './wording.ts';

/** All that pages say, in one language. Nothing that people wrote is in here: that has a language of its own. */
export interface Phrases {
  readonly language: Language;
  readonly direction: 'ltr' | 'rtl';
  /** Moments are written in UTC: a script rewrites them. */
  readonly wording: Wording;
  readonly live: LivePhrases;
  readonly vote: VotePhrases;
  readonly refusal: RefusalPhrases;
  readonly create: CreatePhrases;
  readonly manage: ManagePhrases;
  readonly desk: DeskPhrases;
  readonly show: ShowPhrases;
  readonly showShare: ShowSharePhrases;
}

const known = new Map<Language, Phrases>();

/** The phrases for whoever sent a request. */
export function phrasesFor(request: Parameters<typeof languageOf>[0]): Phrases {
  return phrasesIn(languageOf(request));
}

export function phrasesIn(language: Language): Phrases {
  const phrases = known.get(language) ?? gather(language);
  known.set(language, phrases);
  return phrases;
}

function gather(language: Language): Phrases {
  return {
    language,
    direction: directionOf(language),
    wording: new Wording(language, { timeZone: 'UTC' }),
    live: livePhrases[language],
    vote: votePhrases[language],
    refusal: refusalPhrases[language],
    create: createPhrases[language],
    manage: managePhrases[language],
    desk: deskPhrases[language],
    show: showPhrases[language],
    showShare: showSharePhrases[language],
  };
}
