import type { Parts } from '../wording.ts';

const KEPT = 'What you chose is still chosen.';

/** The start page, a poll's page, its comments, and why a ballot was not counted. */
export const vote = {
  start: {
    lead: 'Ask a question, share the link, and watch the answers come in.',
    preview: 'Vote, and watch the results live.',
    create: 'Create a poll',
    publicPolls: 'Public polls',
    none: 'No public polls yet. The first one could be yours.',
    ended: 'Voting has ended',
    upcoming: 'Voting has not begun',
    open: 'Open',
    openUntil: <T>(moment: T): Parts<T> => ['Open until ', moment],
  },
  preview: 'Vote and see the results live.',
  chooseOne: 'Choose one',
  chooseSeveral: 'Choose one or more',
  vote: 'Vote',
  yourName: 'Your name',
  nameHint: 'The creator of this poll sees it beside your vote.',
  needsScript:
    'Voting needs JavaScript, for the check that you are human. Allow it for this site and reload the page.',
  peek: 'See the results without voting',
  counted: {
    title: 'Your vote is counted',
    text: <T>(choices: T): Parts<T> => ['You chose ', choices, '.'],
  },
  upcoming: { title: 'Voting has not begun', text: 'You can vote here as soon as it does.' },
  ended: { title: 'Voting has ended', text: 'No more votes are taken in this poll.' },
  signIn: {
    missing:
      'This poll takes votes from signed-in people only, and sign-in is not set up on this site. Only whoever runs the site can change that.',
    needed: 'This poll takes votes from signed-in people only. Your account is not stored with your vote.',
    begin: (provider: string) => `Sign in with ${provider}`,
    done: (provider: string) => `You are signed in with ${provider}.`,
    end: 'Sign out',
  },
  unreachable: {
    title: 'We cannot reach the votes right now',
    text: 'We do not know yet whether your vote was counted. Press the button until you hear: it cannot count twice.',
  },
  comments: {
    title: 'Comments',
    yours: 'Your comment',
    name: 'Name',
    optional: '(may be left empty)',
    send: 'Send comment',
    none: 'No comments yet.',
    notSent: 'Your comment was not sent',
    voteFirst: 'Only people who have voted in this poll can comment.',
    foreignForm: 'The form was made for another visit. Send it again from here.',
    noText: 'There is nothing in it yet. Write something and send it again.',
    longText: (most: string) => `It is longer than ${most} characters. Shorten it and send it again.`,
    badText: 'It holds characters that cannot be shown. Change it and send it again.',
    badName: (most: string) =>
      `That name cannot be used: up to ${most} letters, no control characters. Change it and send it again.`,
  },
  vpnSeen: 'You seem to use one. Turn it off before you vote.',
  notCounted: {
    duplicate_voter: {
      title: 'You have already voted here',
      text: 'Your first vote counts and stays as it is. This one was not counted.',
    },
    duplicate_account: {
      title: 'This account has already voted',
      text: 'The first vote from your account counts and stays as it is. This one was not counted.',
    },
    duplicate_address: {
      title: 'Your network has already voted',
      text: 'This poll takes one vote from each network, so this one was not counted. If it was somebody else, vote from another network, for example over mobile data.',
    },
    poll_closed: {
      title: 'Voting has ended',
      text: 'Your vote came after the end and was not counted.',
    },
    poll_not_open: {
      title: 'Voting has not begun',
      text: `Your vote came before the beginning and was not counted. Press Vote once voting has begun. ${KEPT}`,
    },
    proof_used: {
      title: 'That check was already used',
      text: `This attempt was not counted. A new check is under way: press Vote again. ${KEPT}`,
    },
    no_answer: {
      title: 'Choose an answer first',
      text: 'Nothing was counted yet. Choose, then press Vote.',
    },
    too_many_answers: {
      title: 'Choose one answer only',
      text: 'This poll takes one answer from each voter. Nothing was counted yet. Choose one, then press Vote.',
    },
    unknown_answer: {
      title: 'That answer is not part of this poll',
      text: 'Nothing was counted yet. Choose one of the answers below, then press Vote.',
    },
    name_missing: {
      title: 'Your name is missing',
      text: `This poll asks voters for a name. Nothing was counted yet: fill it in and press Vote. ${KEPT}`,
    },
    name_unusable: {
      title: 'That name cannot be used',
      text: `A name has up to 80 letters and no control characters. Nothing was counted yet: change it and press Vote. ${KEPT}`,
    },
    cookie_missing: {
      title: 'Your browser did not send our cookie',
      text: `Without it we cannot tell one voter from another, so nothing was counted. Allow cookies for this site and press Vote. ${KEPT}`,
    },
    form_foreign: {
      title: 'This form was made for another visit',
      text: `Nothing was counted yet. Here is a fresh one: press Vote again. ${KEPT}`,
    },
    vpn_refused: {
      title: 'This poll takes no votes over a VPN',
      text: `Your vote was not counted. Turn the VPN off and press Vote again. ${KEPT}`,
    },
    signed_out: {
      title: 'Sign in to vote',
      text: 'Your vote was not counted yet. Sign in, then choose and press Vote.',
    },
    sign_in_missing: {
      title: 'Sign-in is not set up here',
      text: 'This poll takes votes from signed-in people only, and this site has no sign-in yet. Your vote was not counted. Only whoever runs the site can change that.',
    },
    check_missing: {
      title: 'The check that you are human did not run',
      text: `It needs JavaScript, and this attempt was not counted. Wait for it to finish and press Vote again. ${KEPT}`,
    },
    check_expired: {
      title: 'This page was open for a long while',
      text: `The check that you are human ran out. Press Vote again; it cannot count twice. ${KEPT}`,
    },
    check_failed: {
      title: 'The check that you are human failed',
      text: `This attempt was not counted. A new check is under way: press Vote again. ${KEPT}`,
    },
    check_unreachable: {
      title: 'The check that you are human cannot be reached',
      text: `This attempt was not counted. Wait a moment and press Vote again; it cannot count twice. ${KEPT}`,
    },
  },
};

export type VotePhrases = typeof vote;
