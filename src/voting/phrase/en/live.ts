import type { Count, Parts } from '../wording.ts';

/** What pages and their scripts both say. A script gets the phrases of its page's language alone. */
export const live = {
  results: 'Results',
  ownChoice: 'your choice',
  winner: 'Winner',
  tie: 'Tie',
  votes: (n: Count) => n.pick({ one: `${n} vote`, other: `${n} votes` }),
  people: (n: Count) => n.pick({ one: `${n} person`, other: `${n} people` }),
  votesOf: (votes: string, people: string) => `${votes} from ${people}`,
  noVotes: 'No votes yet',
  final: (total: string) => `${total}, final`,
  closesIn: (rest: string) => `Closes in ${rest}`,
  /** Of a poll that is prepared. */
  closesAfter: (time: string) => `Closes ${time} after opening`,
  closesAt: <T>(moment: T): Parts<T> => ['Voting ends ', moment],
  hidden: 'The results are hidden. When the creator shows them, they appear here.',
  hiddenUntilEnd: <T>(moment: T): Parts<T> => [
    'The results are hidden while people vote. They appear here when voting ends, ',
    moment,
    '.',
  ],
  appearAt: <T>(moment: T): Parts<T> => ['The results appear here ', moment, '.'],
  deleted: 'This poll was deleted.',
  connectionLost: 'Connection lost. These numbers may be old; they catch up by themselves.',
  status: { upcoming: 'Not begun', open: 'Open', closed: 'Closed' },
  endsByHand: 'When you close it',
  endedByHand: 'By hand',
  noScreens: 'No screen watches now.',
  screens: (n: Count) =>
    n.pick({
      one: `${n} screen watches and changes at once.`,
      other: `${n} screens watch and change at once.`,
    }),
  somebody: 'Somebody',
  checking: 'Checking that you are human...',
  checked: 'Checked that you are human',
  oneMoment: 'One moment...',
  sending: 'Sending...',
  tryingAgain: 'Trying again...',
  tryAgain: 'Try again',
  undelivered: 'Not delivered yet, nothing is lost. Trying again...',
  shortcuts: 'Keyboard shortcuts',
  copy: 'Copy',
  copied: 'Copied',
  copyByHand: 'Press Ctrl+C',
  copyThis: (label: string) => `Copy: ${label}`,
  answer: (number: string) => `Answer ${number}`,
  timeInUtc: '(time in UTC)',
  ownTime: '(your own time)',
};

export type LivePhrases = typeof live;
