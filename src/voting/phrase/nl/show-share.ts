import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'De show delen',
  audience: 'Voor je publiek',
  hint: 'Eén code voor de hele avond: hij leidt altijd naar de stemming die in beeld is.',
  print: 'Code afdrukken',
  image: (format: string) => `Code als ${format}`,
  screens: 'Voor je schermen',
  code: 'Overlay met alleen de code',
  desk: 'Voor jou',
  deskLink: 'Je regietafel',
  deskHint: 'Die opent met de sleutel van de show.',
  toDesk: 'Regietafel openen',
  scan: 'Scan en stem',
};
