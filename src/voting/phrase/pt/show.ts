import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: {
    title: 'A próxima votação abre em breve',
    text: 'Ela aparece aqui sozinha. Deixe esta página aberta.',
  },
  reload: 'Recarregue esta página de vez em quando para vê-la.',
  toVote: 'Ir para a votação em andamento',
  next: {
    title: 'A próxima votação está aberta',
    text: 'Termine aqui primeiro ou siga em frente.',
    go: 'Ir para a próxima votação',
  },
};
