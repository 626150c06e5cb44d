import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'Udostępnij show',
  audience: 'Dla publiczności',
  hint: 'Jeden kod na cały wieczór: zawsze prowadzi do głosowania, które jest na antenie.',
  print: 'Drukuj kod',
  image: (format: string) => `Kod jako ${format}`,
  screens: 'Na ekrany',
  code: 'Nakładka z samym kodem',
  desk: 'Dla prowadzących',
  deskLink: 'Pulpit realizatora',
  deskHint: 'Otwiera się kluczem show.',
  toDesk: 'Otwórz pulpit',
  scan: 'Zeskanuj i zagłosuj',
};
