/** What somebody reads who follows a show. A script carries all of it. */
export const show = {
  soon: {
    title: 'The next vote opens soon',
    text: 'It appears here by itself. Leave this page open.',
  },
  reload: 'Reload this page now and then to see it.',
  toVote: 'To the vote that is on air',
  next: {
    title: 'The next vote is on',
    text: 'Finish here first, or go on.',
    go: 'Go to the next vote',
  },
};

export type ShowPhrases = typeof show;
