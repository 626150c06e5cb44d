/** What the builder says, but for what the table of parameters says. */
export const texts = {
  automatic: 'automatic',
  place: 'Place on screen',
  pick: (label: string) => `${label}: pick a colour`,
  digits: (label: string) => `${label}: colour in digits, such as 1e90ff`,
  opacity: (label: string) => `${label}: how opaque, in per cent`,
  asTheme: 'As the theme',
  asThemeFor: (label: string) => `${label}: as the theme has it`,
  colorList: 'All colours in digits, such as 1e90ff,ff8800',
  moreColors: 'One more',
  asPalette: 'Our palette',
  paletteInUse: 'our palette',
  answerColor: (place: number, answer: string | undefined) =>
    answer === undefined ? `Answer ${place}` : `Answer ${place}: ${answer}`,
  fontMissing: (font: string) =>
    `This machine has no font “${font}”. Where it is missing, the overlay draws with its own.`,
  rehearses: 'Nothing yet, so the picture rehearses with simulated votes.',
  isRehearsal: 'This is the address of a rehearsal.',
  isA: (what: string) => `This is ${what}.`,
  takenOver: 'How it looks was taken over.',
  leftKey: 'The key in it does more than to read, so it was left out.',
  unknown: (names: string) => `Left out, because no overlay knows it: ${names}.`,
  asking: 'Asking the relay about it …',
  poll: (title: string, status: string) => `“${title}” is ${status}.`,
  status: { open: 'open', closed: 'closed', upcoming: 'not open yet' } as Readonly<Record<string, string>>,
  hidden:
    'Its results are hidden. Without a view key the overlay shows what one may vote for, locked, until they are revealed.',
  wrongKey: 'The relay does not take this view key.',
  noPoll: (id: string, elsewhere: string | undefined) =>
    `This relay has no poll ${id}. ${elsewhere === undefined ? 'It was deleted, or the link is of something else.' : `The link is of the relay at ${elsewhere}: its builder is at ${elsewhere}/overlay.`}`,
  show: (name: string, title: string, onAir: boolean) =>
    `The show ${title === '' ? name : `“${title}”`} has ${onAir ? 'a poll' : 'nothing'} on air.`,
  noShow: (name: string) =>
    `Nobody has taken the name ${name} yet: the overlay stays empty until a show of this name has a poll on air.`,
  away: 'The relay does not answer, so nobody knows whether it exists.',
  readAsShow: 'No, it is a show’s name',
  readAsPoll: 'No, it is a poll’s id',
  now: { poll: 'The poll itself', show: 'The show itself' },
  addressOf: {
    poll: 'Address of this poll’s overlay',
    show: 'Address of this show’s overlay',
    rehearsal: 'Address of this rehearsal',
  },
  otherMoment:
    'You are looking at a rehearsed moment. Copy shows the real thing again, and copies its address.',
  size: (width: number, height: number) => `Set the browser source to ${width} × ${height}.`,
  copied: 'Copied',
  copyByHand: 'Press Ctrl+C',
  pictureOf: (group: string) => `${group}`,
} as const;
