import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: {
    title: 'Le prochain vote ouvre bientôt',
    text: 'Il s’affichera ici tout seul. Laissez cette page ouverte.',
  },
  reload: 'Rechargez cette page de temps en temps pour le voir.',
  toVote: 'Vers le vote en cours',
  next: {
    title: 'Le prochain vote est ouvert',
    text: 'Terminez d’abord ici, ou passez à la suite.',
    go: 'Passer au prochain vote',
  },
};
