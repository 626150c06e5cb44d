import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: {
    title: 'Die nächste Abstimmung beginnt gleich',
    text: 'Sie erscheint hier von selbst. Lass diese Seite offen.',
  },
  reload: 'Lade diese Seite ab und zu neu, um sie zu sehen.',
  toVote: 'Zur laufenden Abstimmung',
  next: {
    title: 'Die nächste Abstimmung läuft',
    text: 'Bring diese erst zu Ende oder geh weiter.',
    go: 'Zur nächsten Abstimmung',
  },
};
