import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'Condividi lo show',
  audience: 'Per il tuo pubblico',
  hint: 'Un solo codice per tutta la serata: porta sempre alla votazione in onda.',
  print: 'Stampa il codice',
  image: (format: string) => `Codice in ${format}`,
  screens: 'Per i tuoi schermi',
  code: 'Overlay con il solo codice',
  desk: 'Per te',
  deskLink: 'La tua regia',
  deskHint: 'Si apre con la chiave dello show.',
  toDesk: 'Apri la regia',
  scan: 'Inquadra e vota',
};
