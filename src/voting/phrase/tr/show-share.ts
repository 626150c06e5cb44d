import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'Programı paylaş',
  audience: 'İzleyicileriniz için',
  hint: 'Bütün gece için tek kod: her zaman yayındaki oylamaya götürür.',
  print: 'Kodu yazdır',
  image: (format: string) => `${format} olarak kod`,
  screens: 'Ekranlarınız için',
  code: 'Yalnızca kodu gösteren katman',
  desk: 'Sizin için',
  deskLink: 'Reji masanız',
  deskHint: 'Programın anahtarıyla açılır.',
  toDesk: 'Reji masasını aç',
  scan: 'Oy vermek için okutun',
};
