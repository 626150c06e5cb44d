/** Why somebody is turned away or asked to wait, and what can be done now. */
export const refusal = {
  toStart: 'To the start page',
  toPoll: 'Back to the poll',
  reasons: {
    cross_site: {
      title: 'This came from another site',
      text: 'Nothing was done. Open the page itself and try it there.',
    },
    page_not_found: {
      title: 'There is nothing here',
      text: 'The link may be cut off or mistyped. Check it and open it again.',
    },
    poll_not_found: {
      title: 'There is no such poll',
      text: 'It may have been deleted, or the link may be cut off or mistyped. Nothing was counted.',
    },
    rehearsal: {
      title: 'Nobody votes here',
      text: 'The votes of the rehearsal poll are simulated. It is there for programs and overlays to be tried with.',
    },
    not_managing: {
      title: 'This page is for the creator of the poll',
      text: 'Nothing was changed. Open the link to manage the poll that was shown when it was created.',
    },
    too_large: {
      title: 'That was too much at once',
      text: 'Nothing was done. Shorten the text and send it again.',
    },
    bad_request: {
      title: 'That could not be read',
      text: 'Nothing was done. Go back, reload the page and try again.',
    },
    rate_limited: {
      title: 'Too many requests from your network',
      text: 'Nothing was done with this one. Wait a moment and try again; what was counted before stays counted.',
    },
    engine_unavailable: {
      title: 'We cannot reach the votes right now',
      text: 'Nothing is lost. Try again in a moment.',
    },
    sign_in_unreachable: {
      title: 'The sign-in cannot be reached right now',
      text: 'Nothing was counted. Try again in a moment.',
    },
    stopping: { title: 'This server is restarting', text: 'Nothing is lost. Try again in a moment.' },
    failed: {
      title: 'Something went wrong on our side',
      text: 'Try again in a moment. A vote is never counted twice.',
    },
  },
  signInStopped: {
    title: 'You are not signed in',
    text: 'The sign-in was stopped or took too long. Nothing was counted. Open the poll and sign in again.',
  },
  busy: {
    title: 'You are in line',
    heading: 'Many people are here right now',
    text: (time: string) =>
      `You are in line, and nothing is lost. This page opens by itself in about ${time}.`,
    quiet: 'Votes that were sent come first. Opening the page again yourself makes it no faster.',
  },
};

export type RefusalPhrases = typeof refusal;
