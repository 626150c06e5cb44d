import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: 'Vers l’accueil',
  toPoll: 'Retour au sondage',
  reasons: {
    cross_site: {
      title: 'Cela vient d’un autre site',
      text: 'Rien n’a été fait. Ouvrez la page elle-même et essayez là.',
    },
    page_not_found: {
      title: 'Il n’y a rien ici',
      text: 'Le lien est peut-être coupé ou mal tapé. Vérifiez-le et rouvrez-le.',
    },
    poll_not_found: {
      title: 'Ce sondage n’existe pas',
      text: 'Il a peut-être été supprimé, ou le lien est coupé ou mal tapé. Rien n’a été compté.',
    },
    rehearsal: {
      title: 'Personne ne vote ici',
      text: 'Les votes du sondage de répétition sont simulés. Il sert à essayer programmes et overlays.',
    },
    not_managing: {
      title: 'Cette page est réservée au créateur du sondage',
      text: 'Rien n’a été changé. Ouvrez le lien de gestion montré à la création du sondage.',
    },
    too_large: {
      title: 'C’était trop à la fois',
      text: 'Rien n’a été fait. Raccourcissez le texte et renvoyez-le.',
    },
    bad_request: {
      title: 'C’était illisible',
      text: 'Rien n’a été fait. Revenez en arrière, rechargez la page et réessayez.',
    },
    rate_limited: {
      title: 'Trop de requêtes depuis votre réseau',
      text: 'Rien n’a été fait de celle-ci. Attendez un instant et réessayez ; ce qui est compté le reste.',
    },
    engine_unavailable: {
      title: 'Les votes sont injoignables pour l’instant',
      text: 'Rien n’est perdu. Réessayez dans un instant.',
    },
    sign_in_unreachable: {
      title: 'La connexion est injoignable pour l’instant',
      text: 'Rien n’a été compté. Réessayez dans un instant.',
    },
    stopping: { title: 'Ce serveur redémarre', text: 'Rien n’est perdu. Réessayez dans un instant.' },
    failed: {
      title: 'Un problème est survenu chez nous',
      text: 'Réessayez dans un instant. Un vote n’est jamais compté deux fois.',
    },
  },
  signInStopped: {
    title: 'Vous n’êtes pas connecté',
    text: 'La connexion a été interrompue ou a trop duré. Rien n’a été compté. Ouvrez le sondage et reconnectez-vous.',
  },
  busy: {
    title: 'Vous êtes dans la file',
    heading: 'Beaucoup de monde en ce moment',
    text: (time: string) =>
      `Vous êtes dans la file et rien n’est perdu. Cette page s’ouvre toute seule dans environ ${time}.`,
    quiet: 'Les votes envoyés passent d’abord. Rouvrir la page vous-même n’accélère rien.',
  },
};
