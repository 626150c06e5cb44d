import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: { title: 'Nästa omröstning öppnar snart', text: 'Den visas här av sig själv. Låt sidan vara öppen.' },
  reload: 'Ladda om sidan då och då för att se den.',
  toVote: 'Till omröstningen som pågår',
  next: {
    title: 'Nästa omröstning är öppen',
    text: 'Bli klar här först, eller gå vidare.',
    go: 'Till nästa omröstning',
  },
};
