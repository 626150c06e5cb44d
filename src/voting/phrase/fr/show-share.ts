import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'Partager l’émission',
  audience: 'Pour votre public',
  hint: 'Un seul code pour toute la soirée : il mène toujours au vote à l’antenne.',
  print: 'Imprimer le code',
  image: (format: string) => `Code en ${format}`,
  screens: 'Pour vos écrans',
  code: 'Overlay avec le code seul',
  desk: 'Pour vous',
  deskLink: 'Votre pupitre',
  deskHint: 'Il s’ouvre avec la clé de l’émission.',
  toDesk: 'Ouvrir le pupitre',
  scan: 'Scannez pour voter',
};
