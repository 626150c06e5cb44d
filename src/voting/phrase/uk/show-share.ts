import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'Поділитися шоу',
  audience: 'Для вашої аудиторії',
  hint: 'Один код на весь вечір: він завжди веде до голосування, що зараз в ефірі.',
  print: 'Надрукувати код',
  image: (format: string) => `Код як ${format}`,
  screens: 'Для ваших екранів',
  code: 'Накладка лише з кодом',
  desk: 'Для вас',
  deskLink: 'Ваш пульт',
  deskHint: 'Він відкривається ключем шоу.',
  toDesk: 'Відкрити пульт',
  scan: 'Скануйте й голосуйте',
};
