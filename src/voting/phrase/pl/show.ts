import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: {
    title: 'Następne głosowanie wkrótce się zacznie',
    text: 'Pojawi się tutaj samo. Nie zamykaj tej strony.',
  },
  reload: 'Odśwież tę stronę od czasu do czasu, aby je zobaczyć.',
  toVote: 'Do trwającego głosowania',
  next: {
    title: 'Następne głosowanie już trwa',
    text: 'Najpierw dokończ tutaj albo przejdź dalej.',
    go: 'Przejdź do następnego głosowania',
  },
};
