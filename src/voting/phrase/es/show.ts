import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: {
    title: 'La próxima votación abre pronto',
    text: 'Aparecerá aquí por sí sola. Deja esta página abierta.',
  },
  reload: 'Recarga esta página de vez en cuando para verla.',
  toVote: 'Ir a la votación en curso',
  next: {
    title: 'La próxima votación ya está abierta',
    text: 'Termina primero aquí o sigue adelante.',
    go: 'Ir a la próxima votación',
  },
};
