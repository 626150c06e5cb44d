import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'Dela showen',
  audience: 'För din publik',
  hint: 'En kod för hela kvällen: den leder alltid till omröstningen som är i sändning.',
  print: 'Skriv ut koden',
  image: (format: string) => `Koden som ${format}`,
  screens: 'För dina skärmar',
  code: 'Överlägg med enbart koden',
  desk: 'För dig',
  deskLink: 'Ditt kontrollbord',
  deskHint: 'Det öppnas med showens nyckel.',
  toDesk: 'Öppna kontrollbordet',
  scan: 'Skanna och rösta',
};
