import type { Parts } from '../wording.ts';

/** The creator's page. */
export const manage = {
  title: 'Manage',
  openPage: 'Open the voting page',
  people: 'People',
  votes: 'Votes',
  voting: 'Voting',
  ends: 'Ends',
  screens: 'Screens',
  closeIn: (minutes: string) => `Close in ${minutes}`,
  keepOpen: 'Keep it open',
  addresses: 'Where it is',
  newKey: 'New view key',
  newAddress: 'New overlay address',
  upcoming: {
    title: 'Voting has not begun',
    text: 'Open it, and votes are taken from then on. Open pages and screens are told at once.',
    button: 'Open voting',
  },
  closed: {
    title: 'Voting is closed',
    text: 'Open it again, and votes are taken from then on. What was counted stays.',
    button: 'Open voting again',
  },
  open: {
    title: 'Voting is open',
    text: 'Close it, and no more votes are taken. Open pages and screens are told at once.',
    button: 'Close voting',
  },
  seenBy: {
    title: 'Who sees the results',
    always: 'Everybody sees the results.',
    after_deadline: 'The results are hidden and appear when voting ends.',
    hidden: 'Only you and whoever has a key of this poll see the results.',
  },
  show: {
    always: 'Show results',
    after_deadline: 'Show them when voting ends',
    hidden: 'Hide results',
  },
  deadline: {
    title: 'Deadline',
    label: 'Voting ends',
    hint: 'Left empty, voting ends when you close it.',
    button: 'Change the deadline',
  },
  ballots: {
    title: 'Ballots',
    text: 'One line for each ballot: when it was cast, and its answers.',
    textWithNames: 'One line for each ballot: when it was cast, by whom, and its answers.',
    download: 'Download as CSV',
    names: 'See the names',
  },
  names: {
    title: 'Names',
    heading: 'Who voted',
    back: 'Back',
    newest: (shown: string, all: string) => `The newest ${shown} of ${all}. All of them are in the CSV file.`,
    nobody: 'Nobody yet.',
  },
  unvoted: <T>(moment: T): Parts<T> => ['If nobody votes, this poll is deleted on ', moment, '.'],
  viewKey: {
    title: 'View key',
    text: 'Overlays carry it to see hidden results. If yours got about, make a new one: the old one stops at once.',
    button: 'Make a new view key',
  },
  adminKey: {
    text: 'Whoever has it can change and delete this poll. If your link has leaked, make a new one: the old one, and every page opened with it, stops at once.',
    button: 'Make a new admin key',
  },
  onAir: {
    title: 'Show',
    text: <T>(address: T): Parts<T> => [
      'An overlay at ',
      address,
      ' follows whatever poll its show points to.',
    ],
    name: 'Name of the show',
    nameHint: 'Small letters, digits and hyphens.',
    key: 'Key of the show',
    keyHint: 'It begins with show_ and was told when the show was created.',
    button: 'Show this poll there',
  },
  comments: {
    title: 'Comments',
    none: 'No comments yet.',
    remove: 'Remove',
    removeBy: (name: string) => `Remove the comment by ${name}`,
  },
  remove: {
    title: 'Delete this poll',
    text: 'All votes, names and comments go with it, and every screen that shows it goes empty. Nobody can bring it back.',
    /** Typed to confirm: one word of small letters. */
    word: 'delete',
    confirm: <T>(word: T): Parts<T> => ['Type the word ', word],
    button: 'Delete for ever',
  },
  key: {
    heading: 'Manage a poll',
    label: 'Admin key',
    hint: 'It begins with admin_ and is part of the link to manage the poll.',
    open: 'Continue',
    rejected: 'This key does not manage this poll',
    rejectedText:
      'Nothing was changed. Use the whole link that you got when the poll was created; a view key only shows results.',
  },
  unchanged: 'Nothing was changed',
  done: {
    shown: { title: 'The results are shown', text: 'Every open screen and page has them now.' },
    waiting: {
      title: 'The results wait for the end',
      text: 'They are hidden now and appear when voting ends.',
    },
    hidden: {
      title: 'The results are hidden',
      text: 'Only you and whoever has a key of this poll can see them now.',
    },
    closed: { title: 'Voting is closed', text: 'No more votes are taken. You can open it again.' },
    opened: { title: 'Voting is open', text: 'Votes are taken from now on.' },
    reopened: { title: 'Voting is open again', text: 'Votes are taken from now on.' },
    reopened_without_end: {
      title: 'Voting is open again',
      text: 'Votes are taken from now on. The deadline that had passed is gone: close it by hand or set another.',
    },
    no_deadline: { title: 'There is no deadline now', text: 'Voting ends when you close it.' },
    new_deadline: {
      title: 'The deadline is changed',
      text: 'Every open page counts down to the new one.',
    },
    new_view_key: {
      title: 'There is a new view key',
      text: 'It is shown this one time. Overlays with the old one lose hidden results; give them the new address.',
    },
    new_admin_key: {
      title: 'There is a new admin key',
      text: 'It is shown this one time. Save the new link: the old one no longer works.',
    },
    comment_removed: { title: 'The comment is removed', text: 'It is gone from every open page.' },
    comment_gone: { title: 'The comment was gone already', text: 'Nothing else was changed.' },
    removed: { title: 'The poll is deleted', text: 'All its votes, names and comments are gone.' },
  },
  onAirNow: {
    title: (name: string) => `"${name}" shows this poll now`,
    text: (address: string) => `Its overlay is ${address}`,
  },
  refused: {
    visibility_missing: 'Choose who sees the results.',
    moment_missing: 'Choose a day and a time.',
    minutes_missing: 'Choose how long voting stays open.',
    page_stale: 'This page was open for too long. Press the button again.',
    not_confirmed: (word: string) => `Type the word ${word} to confirm. The poll is still there.`,
    show_not_found:
      'There is no show of this name. It has small letters, digits and hyphens, like friday-night.',
    api_key_required: 'Fill in the key of the show.',
    api_key_rejected:
      'This key does not open this show. It begins with show_ and was told when the show was created.',
    deadline_in_past: 'Choose a moment in the future, or close the poll now.',
    deadline_missing: 'Results at the end need an end: set a deadline first.',
    deadline_passed: 'The deadline has passed. Set a later one first.',
  },
};

export type ManagePhrases = typeof manage;
