import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'Compartir el programa',
  audience: 'Para tu público',
  hint: 'Un solo código para toda la noche: siempre lleva a la votación que está en antena.',
  print: 'Imprimir el código',
  image: (format: string) => `Código en ${format}`,
  screens: 'Para tus pantallas',
  code: 'Overlay solo con el código',
  desk: 'Para ti',
  deskLink: 'Tu mesa de control',
  deskHint: 'Se abre con la clave del programa.',
  toDesk: 'Abrir la mesa de control',
  scan: 'Escanea para votar',
};
