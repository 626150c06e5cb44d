import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'مشاركة البرنامج',
  audience: 'للجمهور',
  hint: 'رمز واحد للأمسية كلها: يقود دائمًا إلى التصويت المعروض على الهواء.',
  print: 'طباعة الرمز',
  image: (format: string) => `الرمز بصيغة ${format}`,
  screens: 'للشاشات',
  code: 'طبقة بالرمز وحده',
  desk: 'للإدارة',
  deskLink: 'لوحة التحكم',
  deskHint: 'تُفتح بمفتاح البرنامج.',
  toDesk: 'فتح لوحة التحكم',
  scan: 'امسح الرمز للتصويت',
};
