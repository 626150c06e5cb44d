import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'שיתוף התוכנית',
  audience: 'לקהל שלכם',
  hint: 'קוד אחד לכל הערב: הוא תמיד מוביל להצבעה שבשידור.',
  print: 'הדפסת הקוד',
  image: (format: string) => `הקוד כ־${format}`,
  screens: 'למסכים שלכם',
  code: 'שכבה עם הקוד בלבד',
  desk: 'בשבילכם',
  deskLink: 'שולחן הבימוי שלכם',
  deskHint: 'הוא נפתח במפתח של התוכנית.',
  toDesk: 'פתיחת שולחן הבימוי',
  scan: 'סרקו והצביעו',
};
