import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'शो साझा करें',
  audience: 'आपके दर्शकों के लिए',
  hint: 'पूरी शाम के लिए एक ही कोड: यह हमेशा प्रसारण में चल रहे मतदान पर ले जाता है।',
  print: 'कोड प्रिंट करें',
  image: (format: string) => `${format} के रूप में कोड`,
  screens: 'आपकी स्क्रीनों के लिए',
  code: 'केवल कोड वाला ओवरले',
  desk: 'आपके लिए',
  deskLink: 'आपका डेस्क',
  deskHint: 'यह शो की कुंजी से खुलता है।',
  toDesk: 'डेस्क खोलें',
  scan: 'वोट देने के लिए स्कैन करें',
};
