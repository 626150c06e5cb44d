import type { REPLIES } from './replies.ts';

/** An example of each reply of the REST API; a test compares them with the schemas. All are about one poll and one show. */

const ID = 'zW1Fiu5hZoAA';
const TIME = '2030-01-31T18:00:00.000Z';
const KEY = '8fYwq0aXH1kJmT6bZc3NsV5rLdGpQeU2iOxAy7hB4nM';
const RELAY = 'https://relay.example';
const VOTE = 'https://vote.example';

const answers = [
  { id: '8mVbYw2k', answer: 'Waterloo', sorting: 1, type: 'text' },
  { id: 'Qd3xT7Lp', answer: 'Volare', sorting: 2, type: 'text' },
] as const;
const flags = { co: false, ma: false, enter_name: false, only_reg: false, vpn: false, verifiable: false };
const publicMembers = { description: '', ...flags };
const writtenMembers = {
  priv: false,
  mip: true,
  show_log_size: false,
  has_image: false,
  image: null,
  created_at: '2030-01-31T17:30:00.000Z',
  show: 'friday-night',
};
const state = { status: 'open', deadline: TIME, results_visibility: 'always' } as const;
const counts = {
  total_votes: 59,
  timestamp: 1_896_112_800,
  version: 60,
  position: '60-2hDRZ0kqvW3c',
  total_voters: 59,
};
const results = {
  id: ID,
  title: 'Which song next?',
  poll_answers: [
    { ...answers[0], votes: 38 },
    { ...answers[1], votes: 21 },
  ],
  success: 1,
  ...counts,
  ...state,
} as const;
const written = { ...results, ...publicMembers, ...writtenMembers };
const { poll_answers: _, success: __, position: ___, ...listed } = written;
const created = {
  success: 1,
  id: ID,
  content_id: ID,
  admin_key: `admin_${KEY}`,
  view_key: `view_${KEY}`,
  poll_answers: [...answers],
  deadline: TIME,
  status: 'open',
  ignored: [],
  links: {
    results: `${RELAY}/api/poll/${ID}`,
    live: `wss://relay.example/api/poll/${ID}/live`,
    overlay: `${RELAY}/overlay/${ID}`,
    vote: `${VOTE}/${ID}`,
    manage: `${VOTE}/${ID}/manage#key=admin_${KEY}`,
    qr: `${RELAY}/api/poll/${ID}/qr.svg`,
  },
} as const;

const name = 'friday-night';
const onAir = { success: 1, name, title: 'Friday night', on_air: ID } as const;
const show = { ...onAir, look: { theme: 'light', accent: '#1e90ff' }, logo: null } as const;
const wholeShow = { ...show, rundown: [ID], own: [ID], place: ID, version: 7, undo: { on_air: null } };
const createdShow = {
  ...onAir,
  on_air: null,
  show_key: `show_${KEY}`,
  ignored: [],
  links: {
    overlay: `${RELAY}/overlay/show/${name}`,
    vote: `${VOTE}/show/${name}`,
    desk: `${VOTE}/desk/${name}#key=show_${KEY}`,
    live: `wss://relay.example/api/show/${name}/live`,
    qr: `${RELAY}/api/show/${name}/qr.svg`,
  },
};
const webhook = {
  id: '4f1d0c9a2b7e63f518',
  url: 'https://hooks.example/polls',
  events: ['poll.closed'],
  created_at: TIME,
} as const;
const watched = { ...webhook, failing_since: null, disabled_at: null, pending: 0 };
const voids = [{ id: 'q8Zx0hYl3TnAa1Bc', network: 'q8Zx0hYl3TnAa1Bc', to: TIME }];

const EXAMPLES: { readonly [Name in keyof typeof REPLIES]?: unknown } = {
  Results: { ...results, ...publicMembers },
  Definition: {
    id: ID,
    title: results.title,
    poll_answers: answers,
    success: 1,
    ...state,
    ...publicMembers,
    image: null,
  },
  PollList: { success: 1, polls: [listed], cursor: null },
  ChangedResults: { ...written, ignored: [] },
  VoidedResults: { ...results, voided_votes: 12, voids, ignored: [] },
  RestoredResults: { ...results, voids: [] },
  CreatedPoll: created,
  CopiedPoll: { ...created, status: 'upcoming', copy_of: 'Ah3kP9sXw0Qz', show: name },
  DeletedPoll: { success: 1, id: ID },
  NewViewKey: { success: 1, id: ID, view_key: created.view_key },
  NewAdminKey: { success: 1, id: ID, admin_key: created.admin_key, links: { manage: created.links.manage } },
  PollLog: {
    success: 1,
    log: {
      poll_id: ID,
      origin: `relay.example/api/poll/${ID}/log`,
      key: `relay.example/api/poll/${ID}/log+1a2b3c4d+ATw0Gd1Kq0O9c3yqkXnF5q8Hk2Jm7Wz4Rb6Tv1Yx3Cd5`,
      size: 59,
      ended: false,
      breaks: [],
    },
  },
  Show: show,
  WholeShow: wholeShow,
  ChangedShow: { ...wholeShow, ignored: [] },
  SteppedShow: { ...wholeShow, skipped: [], ignored: [] },
  UndoneShow: { ...wholeShow, undone: { on_air: ID }, ignored: [] },
  Rundown: {
    ...onAir,
    version: 7,
    rundown: [
      {
        id: ID,
        gone: false,
        owned: true,
        title: results.title,
        mip: true,
        verifiable: false,
        ...state,
        total_votes: 59,
        total_voters: 59,
      },
    ],
  },
  ShowResults: {
    success: 1,
    name,
    title: onAir.title,
    polls: [{ id: ID, gone: false, owned: true, title: results.title, results }],
  },
  CreatedShow: createdShow,
  CopiedShow: {
    ...createdShow,
    copy_of: 'thursday-night',
    left_out: [],
    polls: [
      {
        id: ID,
        copy_of: 'Ah3kP9sXw0Qz',
        title: results.title,
        admin_key: created.admin_key,
        view_key: created.view_key,
      },
    ],
  },
  NewShowKey: { success: 1, name, show_key: createdShow.show_key, links: { desk: createdShow.links.desk } },
  DeletedShow: { success: 1, name },
  CreatedWebhook: { success: 1, ...webhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', ignored: [] },
  Webhook: { success: 1, ...watched },
  WebhookList: { success: 1, webhooks: [watched] },
  DeletedWebhook: { success: 1, id: webhook.id },
  Alive: { success: 1, timestamp: counts.timestamp },
  Ready: { success: 1, timestamp: counts.timestamp },
};

export function exampleOf(schemaName: string): unknown {
  return EXAMPLES[schemaName as keyof typeof REPLIES];
}
