import type { ManagePhrases } from '../en/manage.ts';
import type { Parts } from '../wording.ts';

export const manage: ManagePhrases = {
  title: 'Gestion',
  openPage: 'Ouvrir la page de vote',
  people: 'Personnes',
  votes: 'Votes',
  voting: 'Vote',
  ends: 'Fin',
  screens: 'Écrans',
  closeIn: (minutes: string) => `Fermer dans ${minutes}`,
  keepOpen: 'Laisser ouvert',
  addresses: 'Où il se trouve',
  newKey: 'Nouvelle clé de lecture',
  newAddress: 'Nouvelle adresse d’overlay',
  upcoming: {
    title: 'Le vote n’a pas commencé',
    text: 'Ouvrez-le, et les votes sont pris dès lors. Pages et écrans ouverts l’apprennent aussitôt.',
    button: 'Ouvrir le vote',
  },
  closed: {
    title: 'Le vote est fermé',
    text: 'Rouvrez-le, et les votes sont pris dès lors. Ce qui est compté reste.',
    button: 'Rouvrir le vote',
  },
  open: {
    title: 'Le vote est ouvert',
    text: 'Fermez-le, et plus aucun vote n’est pris. Pages et écrans ouverts l’apprennent aussitôt.',
    button: 'Fermer le vote',
  },
  seenBy: {
    title: 'Qui voit les résultats',
    always: 'Tout le monde voit les résultats.',
    after_deadline: 'Les résultats sont masqués et apparaissent à la fin du vote.',
    hidden: 'Seuls vous et qui a une clé de ce sondage voient les résultats.',
  },
  show: {
    always: 'Montrer les résultats',
    after_deadline: 'Les montrer à la fin du vote',
    hidden: 'Masquer les résultats',
  },
  deadline: {
    title: 'Fin du vote',
    label: 'Fin du vote',
    hint: 'Laissé vide, le vote finit quand vous le fermez.',
    button: 'Changer la fin',
  },
  ballots: {
    title: 'Bulletins',
    text: 'Une ligne par bulletin : sa date et ses réponses.',
    textWithNames: 'Une ligne par bulletin : sa date, son nom et ses réponses.',
    download: 'Télécharger en CSV',
    names: 'Voir les noms',
  },
  names: {
    title: 'Noms',
    heading: 'Qui a voté',
    back: 'Retour',
    newest: (shown: string, all: string) =>
      `Les ${shown} plus récents sur ${all}. Tous sont dans le fichier CSV.`,
    nobody: 'Personne pour l’instant.',
  },
  unvoted: <T>(moment: T): Parts<T> => ['Sans aucun vote, ce sondage sera supprimé le ', moment, '.'],
  viewKey: {
    title: 'Clé de lecture',
    text: 'Les overlays la portent pour voir des résultats masqués. Si la vôtre a circulé, faites-en une nouvelle : l’ancienne cesse aussitôt.',
    button: 'Faire une nouvelle clé',
  },
  adminKey: {
    text: 'Elle permet de modifier et de supprimer ce sondage. Si votre lien a fuité, créez-en une nouvelle : l’ancienne cesse aussitôt de valoir, même sur les pages déjà ouvertes.',
    button: 'Créer une nouvelle clé de gestion',
  },
  onAir: {
    title: 'Émission',
    text: <T>(address: T): Parts<T> => [
      'Un overlay à ',
      address,
      ' suit le sondage que montre son émission.',
    ],
    name: 'Nom de l’émission',
    nameHint: 'Minuscules, chiffres et traits d’union.',
    key: 'Clé de l’émission',
    keyHint: 'Elle commence par show_ et a été donnée à la création de l’émission.',
    button: 'Y montrer ce sondage',
  },
  comments: {
    title: 'Commentaires',
    none: 'Aucun commentaire pour l’instant.',
    remove: 'Retirer',
    removeBy: (name: string) => `Retirer le commentaire de ${name}`,
  },
  remove: {
    title: 'Supprimer ce sondage',
    text: 'Tous les votes, noms et commentaires partent avec, et tout écran qui le montre devient vide. Personne ne peut le faire revenir.',

    word: 'supprimer',
    confirm: <T>(word: T): Parts<T> => ['Tapez le mot ', word],
    button: 'Supprimer définitivement',
  },
  key: {
    heading: 'Gérer un sondage',
    label: 'Clé de gestion',
    hint: 'Elle commence par admin_ et fait partie du lien de gestion.',
    open: 'Continuer',
    rejected: 'Cette clé ne gère pas ce sondage',
    rejectedText:
      'Rien n’a été changé. Utilisez tout le lien reçu à la création du sondage ; une clé de lecture ne fait que montrer les résultats.',
  },
  unchanged: 'Rien n’a été changé',
  done: {
    shown: { title: 'Les résultats sont montrés', text: 'Tous les écrans et pages ouverts les ont.' },
    waiting: {
      title: 'Les résultats attendent la fin',
      text: 'Ils sont masqués et apparaîtront à la fin du vote.',
    },
    hidden: {
      title: 'Les résultats sont masqués',
      text: 'Seuls vous et qui a une clé de ce sondage les voient.',
    },
    closed: { title: 'Le vote est fermé', text: 'Plus aucun vote n’est pris. Vous pouvez le rouvrir.' },
    opened: { title: 'Le vote est ouvert', text: 'Les votes sont pris dès maintenant.' },
    reopened: { title: 'Le vote est rouvert', text: 'Les votes sont pris dès maintenant.' },
    reopened_without_end: {
      title: 'Le vote est rouvert',
      text: 'Les votes sont pris dès maintenant. La fin passée ne vaut plus : fermez à la main ou fixez-en une autre.',
    },
    no_deadline: { title: 'Il n’y a plus de fin fixée', text: 'Le vote finit quand vous le fermez.' },
    new_deadline: {
      title: 'La fin est changée',
      text: 'Toutes les pages ouvertes comptent vers la nouvelle.',
    },
    new_view_key: {
      title: 'Il y a une nouvelle clé de lecture',
      text: 'Elle n’est montrée que cette fois. Les overlays avec l’ancienne perdent les résultats masqués ; donnez-leur la nouvelle adresse.',
    },
    new_admin_key: {
      title: 'Il y a une nouvelle clé de gestion',
      text: 'Elle n’est montrée que cette fois. Enregistrez le nouveau lien ; l’ancien ne fonctionne plus.',
    },
    comment_removed: {
      title: 'Le commentaire est retiré',
      text: 'Il a disparu de toutes les pages ouvertes.',
    },
    comment_gone: { title: 'Le commentaire avait déjà disparu', text: 'Rien d’autre n’a changé.' },
    removed: { title: 'Le sondage est supprimé', text: 'Tous ses votes, noms et commentaires ont disparu.' },
  },
  onAirNow: {
    title: (name: string) => `« ${name} » montre maintenant ce sondage`,
    text: (address: string) => `Son overlay est ${address}`,
  },
  refused: {
    visibility_missing: 'Choisissez qui voit les résultats.',
    moment_missing: 'Choisissez un jour et une heure.',
    minutes_missing: 'Choisissez combien de temps le vote reste ouvert.',
    page_stale: 'Cette page est restée ouverte trop longtemps. Appuyez encore sur le bouton.',
    not_confirmed: (word: string) => `Tapez le mot ${word} pour confirmer. Le sondage est toujours là.`,
    show_not_found:
      'Aucune émission de ce nom. Il a des minuscules, chiffres et traits d’union, comme friday-night.',
    api_key_required: 'Indiquez la clé de l’émission.',
    api_key_rejected:
      'Cette clé n’ouvre pas cette émission. Elle commence par show_ et a été donnée à la création de l’émission.',
    deadline_in_past: 'Choisissez un moment à venir, ou fermez le vote maintenant.',
    deadline_missing: 'Des résultats à la fin demandent une fin : fixez-en une d’abord.',
    deadline_passed: 'La fin est passée. Fixez-en une plus tard d’abord.',
  },
};
