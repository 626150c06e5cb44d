import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = 'Votre choix est toujours là.';

export const vote: VotePhrases = {
  start: {
    lead: 'Posez une question, partagez le lien et regardez arriver les réponses.',
    preview: 'Votez et suivez les résultats en direct.',
    create: 'Créer un sondage',
    publicPolls: 'Sondages publics',
    none: 'Aucun sondage public pour l’instant. Le premier pourrait être le vôtre.',
    ended: 'Le vote est terminé',
    upcoming: 'Le vote n’a pas commencé',
    open: 'Ouvert',
    openUntil: <T>(moment: T): Parts<T> => ['Ouvert jusqu’au ', moment],
  },
  preview: 'Votez et voyez les résultats en direct.',
  chooseOne: 'Choisissez une réponse',
  chooseSeveral: 'Choisissez une ou plusieurs réponses',
  vote: 'Voter',
  yourName: 'Votre nom',
  nameHint: 'La personne qui a créé ce sondage le voit à côté de votre vote.',
  needsScript:
    'Le vote a besoin de JavaScript pour vérifier que vous êtes humain. Autorisez-le pour ce site et rechargez la page.',
  peek: 'Voir les résultats sans voter',
  counted: {
    title: 'Votre vote est compté',
    text: <T>(choices: T): Parts<T> => ['Vous avez choisi ', choices, '.'],
  },
  upcoming: { title: 'Le vote n’a pas commencé', text: 'Vous pourrez voter ici dès le début.' },
  ended: { title: 'Le vote est terminé', text: 'Ce sondage ne prend plus de votes.' },
  signIn: {
    missing:
      'Ce sondage est réservé aux personnes connectées, et la connexion n’est pas configurée sur ce site. Seul son exploitant peut y remédier.',
    needed:
      'Ce sondage est réservé aux personnes connectées. Votre compte n’est pas enregistré avec votre vote.',
    begin: (provider: string) => `Se connecter avec ${provider}`,
    done: (provider: string) => `Vous êtes connecté avec ${provider}.`,
    end: 'Se déconnecter',
  },
  unreachable: {
    title: 'Les votes sont injoignables pour l’instant',
    text: 'Nous ne savons pas encore si votre vote a été compté. Appuyez sur le bouton jusqu’à le savoir : il ne peut pas compter deux fois.',
  },
  comments: {
    title: 'Commentaires',
    yours: 'Votre commentaire',
    name: 'Nom',
    optional: '(facultatif)',
    send: 'Envoyer le commentaire',
    none: 'Aucun commentaire pour l’instant.',
    notSent: 'Votre commentaire n’a pas été envoyé',
    voteFirst: 'Seules les personnes qui ont voté ici peuvent commenter.',
    foreignForm: 'Le formulaire vient d’une autre visite. Renvoyez-le d’ici.',
    noText: 'Il est encore vide. Écrivez quelque chose et renvoyez-le.',
    longText: (most: string) => `Il dépasse ${most} caractères. Raccourcissez-le et renvoyez-le.`,
    badText: 'Il contient des caractères impossibles à afficher. Modifiez-le et renvoyez-le.',
    badName: (most: string) =>
      `Ce nom ne convient pas : ${most} caractères au plus, sans caractères de contrôle. Modifiez-le et renvoyez-le.`,
  },
  vpnSeen: 'Vous semblez en utiliser un. Désactivez-le avant de voter.',
  notCounted: {
    duplicate_voter: {
      title: 'Vous avez déjà voté ici',
      text: 'Votre premier vote compte et reste tel quel. Celui-ci n’a pas été compté.',
    },
    duplicate_account: {
      title: 'Ce compte a déjà voté',
      text: 'Le premier vote de votre compte compte et reste tel quel. Celui-ci n’a pas été compté.',
    },
    duplicate_address: {
      title: 'Votre réseau a déjà voté',
      text: 'Ce sondage prend un vote par réseau, celui-ci n’a donc pas été compté. Si c’était quelqu’un d’autre, votez depuis un autre réseau, par exemple en données mobiles.',
    },
    poll_closed: {
      title: 'Le vote est terminé',
      text: 'Votre vote est arrivé après la fin et n’a pas été compté.',
    },
    poll_not_open: {
      title: 'Le vote n’a pas commencé',
      text: `Votre vote est arrivé avant le début et n’a pas été compté. Appuyez sur « Voter » quand le vote commence. ${KEPT}`,
    },
    proof_used: {
      title: 'Cette vérification a déjà servi',
      text: `Cet essai n’a pas été compté. Une nouvelle vérification est en cours : appuyez encore sur « Voter ». ${KEPT}`,
    },
    no_answer: {
      title: 'Choisissez d’abord une réponse',
      text: 'Rien n’a encore été compté. Choisissez, puis appuyez sur « Voter ».',
    },
    too_many_answers: {
      title: 'Choisissez une seule réponse',
      text: 'Ce sondage prend une réponse par personne. Rien n’a encore été compté. Choisissez-en une, puis appuyez sur « Voter ».',
    },
    unknown_answer: {
      title: 'Cette réponse ne fait pas partie du sondage',
      text: 'Rien n’a encore été compté. Choisissez une des réponses ci-dessous, puis appuyez sur « Voter ».',
    },
    name_missing: {
      title: 'Votre nom manque',
      text: `Ce sondage demande un nom. Rien n’a encore été compté : indiquez-le et appuyez sur « Voter ». ${KEPT}`,
    },
    name_unusable: {
      title: 'Ce nom ne convient pas',
      text: `Un nom a 80 caractères au plus et aucun caractère de contrôle. Rien n’a encore été compté : modifiez-le et appuyez sur « Voter ». ${KEPT}`,
    },
    cookie_missing: {
      title: 'Votre navigateur n’a pas envoyé notre cookie',
      text: `Sans lui, impossible de distinguer les votants : rien n’a été compté. Autorisez les cookies pour ce site et appuyez sur « Voter ». ${KEPT}`,
    },
    form_foreign: {
      title: 'Ce formulaire vient d’une autre visite',
      text: `Rien n’a encore été compté. En voici un nouveau : appuyez encore sur « Voter ». ${KEPT}`,
    },
    vpn_refused: {
      title: 'Ce sondage ne prend pas de votes par VPN',
      text: `Votre vote n’a pas été compté. Désactivez le VPN et appuyez encore sur « Voter ». ${KEPT}`,
    },
    signed_out: {
      title: 'Connectez-vous pour voter',
      text: 'Votre vote n’a pas encore été compté. Connectez-vous, choisissez et appuyez sur « Voter ».',
    },
    sign_in_missing: {
      title: 'La connexion n’est pas configurée ici',
      text: 'Ce sondage est réservé aux personnes connectées, et ce site n’a pas encore de connexion. Votre vote n’a pas été compté. Seul son exploitant peut y remédier.',
    },
    check_missing: {
      title: 'La vérification que vous êtes humain n’a pas eu lieu',
      text: `Elle a besoin de JavaScript, et cet essai n’a pas été compté. Attendez qu’elle finisse et appuyez encore sur « Voter ». ${KEPT}`,
    },
    check_expired: {
      title: 'Cette page est restée ouverte longtemps',
      text: `La vérification que vous êtes humain a expiré. Appuyez encore sur « Voter » ; rien ne compte deux fois. ${KEPT}`,
    },
    check_failed: {
      title: 'La vérification que vous êtes humain a échoué',
      text: `Cet essai n’a pas été compté. Une nouvelle vérification est en cours : appuyez encore sur « Voter ». ${KEPT}`,
    },
    check_unreachable: {
      title: 'La vérification que vous êtes humain est injoignable',
      text: `Cet essai n’a pas été compté. Attendez un instant et appuyez encore sur « Voter » ; rien ne compte deux fois. ${KEPT}`,
    },
  },
};
