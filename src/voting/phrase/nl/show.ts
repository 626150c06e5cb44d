import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: {
    title: 'De volgende stemming begint zo',
    text: 'Ze verschijnt hier vanzelf. Laat deze pagina open.',
  },
  reload: 'Laad deze pagina af en toe opnieuw om haar te zien.',
  toVote: 'Naar de lopende stemming',
  next: {
    title: 'De volgende stemming is begonnen',
    text: 'Maak het hier eerst af, of ga door.',
    go: 'Naar de volgende stemming',
  },
};
