/** What whoever runs a show hands on. */
export const showShare = {
  title: 'Share the show',
  audience: 'For your audience',
  hint: 'One code for the whole evening: it always leads to the vote that is on air.',
  print: 'Print the code',
  image: (format: string) => `Code as ${format}`,
  screens: 'For your screens',
  code: 'Overlay with the code alone',
  desk: 'For you',
  deskLink: 'Your desk',
  deskHint: 'It opens with the key of the show.',
  toDesk: 'Open the desk',
  scan: 'Scan to vote',
};

export type ShowSharePhrases = typeof showShare;
