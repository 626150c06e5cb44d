import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: {
    title: 'La prossima votazione apre a breve',
    text: 'Comparirà qui da sola. Lascia aperta questa pagina.',
  },
  reload: 'Ricarica questa pagina ogni tanto per vederla.',
  toVote: 'Vai alla votazione in corso',
  next: {
    title: 'La prossima votazione è aperta',
    text: 'Finisci prima qui, oppure vai avanti.',
    go: 'Vai alla prossima votazione',
  },
};
