import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'Die Show teilen',
  audience: 'Für dein Publikum',
  hint: 'Ein Code für den ganzen Abend: Er führt immer zur laufenden Abstimmung.',
  print: 'Code drucken',
  image: (format: string) => `Code als ${format}`,
  screens: 'Für deine Bildschirme',
  code: 'Overlay nur mit dem Code',
  desk: 'Für dich',
  deskLink: 'Dein Regiepult',
  deskHint: 'Es öffnet sich mit dem Schlüssel der Show.',
  toDesk: 'Regiepult öffnen',
  scan: 'Scannen und abstimmen',
};
