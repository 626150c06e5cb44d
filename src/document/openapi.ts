import { createWebhookBody } from '../api/webhook-routes.ts';
import { LICENSE, SUMMARY, VERSION } from '../http/product.ts';
import { changePollBody, copyPollBody, createPollBody, voidBody } from '../poll/poll-schema.ts';
import { changeShowBody, createShowBody, pressBody } from '../show/show-schema.ts';
import { reference, schemasOfOutput } from './json-schema.ts';
import {
  BODY_ERRORS,
  CACHE_CONTROL,
  cached,
  created,
  definitionParameters,
  ifNoneMatch,
  image,
  json,
  jsonContent,
  logEpoch,
  logoFile,
  logQuery,
  logTile,
  MATCHED,
  type Outline,
  operation,
  type Parameter,
  pageQuery,
  pictureParameters,
  pressable,
  readQuery,
  repeatable,
  sizeQuery,
  viewKey,
  voidRule,
  webhookId,
} from './operation.ts';
import { REPLIES } from './replies.ts';

/** OpenAPI 3.1 of the REST API. The same for every relay of one version. */

const NEW_POLL = { title: 'Which song next?', answers: ['Waterloo', 'Volare'] };

/** Links from the reply of a creation to further operations. @param parameter that all of them need */
const links = (parameter: string, key: string, names: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(names).map(([name, operationId]) => [
      name,
      {
        operationId,
        parameters: { [parameter]: `$response.body#/${parameter}` },
        ...(name !== 'read' && { description: `Needs the \`${key}\`.` }),
      },
    ]),
  );
const POLL_LINKS = links('id', 'admin_key', {
  read: 'readPoll',
  change: 'changePoll',
  renewViewKey: 'renewViewKey',
  renewAdminKey: 'renewAdminKey',
  copy: 'copyPoll',
  delete: 'deletePoll',
});
const SHOW_LINKS = links('name', 'show_key', {
  read: 'readShow',
  rundown: 'readRundown',
  change: 'changeShow',
  poll: 'createPollOfShow',
  next: 'nextOfShow',
  previous: 'previousOfShow',
  clear: 'clearOfShow',
  undo: 'undoOfShow',
  renewKey: 'renewShowKey',
  results: 'readShowResults',
  copy: 'copyShow',
  delete: 'deleteShow',
});

const button = (
  name: string,
  summary: string,
  description: string,
  errors: Outline['errors'] = [],
  body = 'SteppedShow',
): Outline => ({
  id: `${name}OfShow`,
  summary,
  description: `${description} The body is optional. With \`if_on_air\`, a second press that is made from the same picture gets \`on_air_changed\`.`,
  key: 'required',
  parameters: [pressable],
  body: { schema: pressBody, example: { show: {} }, optional: true },
  replies: { 200: json('The show.', body) },
  errors: ['show_changed', 'on_air_changed', 'idempotency_key_reused', ...errors],
});

const IMAGES = ['image/png', 'image/jpeg', 'image/webp'];
/** Also as plain bytes, which generated clients accept for images. */
const CODE_TYPES = {
  svg: ['image/svg+xml', 'application/octet-stream'],
  png: ['image/png', 'application/octet-stream'],
};

const qrCode = (of: 'Poll' | 'Show', format: 'svg' | 'png'): Outline => ({
  id: `drawCodeOf${of}As${format.toUpperCase()}`,
  summary: `QR code of the ${of === 'Poll' ? 'voting page' : 'audience page'}, as ${format.toUpperCase()}`,
  description: 'Dark on light, with a margin that scanners need.',
  parameters: [...sizeQuery, ifNoneMatch],
  replies: cached(image(...CODE_TYPES[format]), 'The code.'),
});

const LOG_ERRORS = ['log_not_found', 'log_hidden', 'log_unavailable'] as const;

const checkpoint = (id: string, parameters: readonly Parameter[] = []): Outline => ({
  id,
  summary: 'The newest checkpoint of the log',
  description: 'A C2SP signed note. While votes come, it is ten seconds old at most, usually five.',
  key: 'optional',
  parameters: [...parameters, viewKey],
  replies: {
    200: {
      description: 'Origin, size, root and signature.',
      content: { 'text/plain': { schema: { type: 'string' } } },
      headers: CACHE_CONTROL,
    },
  },
  errors: LOG_ERRORS,
});

const tile = (id: string, parameters: readonly Parameter[] = []): Outline => ({
  id,
  summary: 'A tile of the log',
  description:
    'C2SP tlog-tiles, within the newest checkpoint. An index from 1,000 on has further parts of the path, as in `x001/234`, and a tile that is not full ends in `.p/<width>`.',
  key: 'optional',
  parameters: [...parameters, ...logTile, viewKey],
  replies: {
    200: {
      description: 'Hashes or entries.',
      content: image('application/octet-stream'),
      headers: CACHE_CONTROL,
    },
  },
  errors: [...LOG_ERRORS, 'tile_not_found'],
});

const liveness = (id: string, summary: string): Outline => ({
  id,
  summary,
  description: 'The process is running. Does not check the engine.',
  replies: { 200: json('It is running.', 'Alive', { headers: {} }) },
});

const document = (id: string, name: string): Outline => ({
  id,
  summary: name,
  description: `${name}. The same for every relay of one version.`,
  parameters: [ifNoneMatch],
  replies: cached({ 'application/json': { schema: { type: 'object' } } }, 'The document.'),
});

const OPERATIONS: Readonly<Record<string, Outline>> = {
  'POST /api/poll': {
    id: 'createPoll',
    summary: 'Create a poll',
    description:
      'Needs an operator’s API key if the operator has set `CREATE_REQUIRES_KEY`. The reply contains the keys of the poll, which are shown only once. One address can store a limited amount per day, and a poll without a ballot is deleted 30 days after its creation or deadline by default. Neither applies with an operator’s key.',
    key: 'optional',
    parameters: [repeatable],
    body: { schema: createPollBody, example: { poll: NEW_POLL } },
    replies: { 201: created('The poll was created.', 'CreatedPoll', POLL_LINKS) },
    errors: ['idempotency_key_reused'],
  },
  'GET /api/poll': {
    id: 'listPolls',
    summary: 'List polls, newest first',
    description:
      'All polls, private ones too. Needs an operator’s key. With a filter a page may have fewer polls than `limit`, even none; the list ends where `cursor` is `null`. Polls of a release without this list appear within minutes of the first start.',
    key: 'required',
    parameters: pageQuery,
    replies: { 200: json('A page of the list.', 'PollList') },
  },
  'GET /api/poll/{id}': {
    id: 'readPoll',
    summary: 'Read the results',
    description:
      'A consistent snapshot that includes every vote acknowledged before the request. Hidden results need the poll’s `admin_key` or `view_key`, or an operator’s key; such replies have no `ETag`. With a key that manages the poll, the reply also has what was written at its creation.\n\nFor tools that cannot read objects, `?format=` returns the same results with one row per answer: `rows` (JSON, an array of `ResultsRow`), `csv`, `xml` or `text`, with exact texts. It is not listed as a parameter, so that generated clients have one reply type.',
    key: 'optional',
    parameters: [...readQuery, viewKey, ifNoneMatch],
    replies: cached(jsonContent('Results'), 'The results.'),
  },
  'GET /api/poll/{id}/definition': {
    id: 'readDefinition',
    summary: 'Read the question and its settings',
    description:
      'Everything that a voting front end needs for its form, without any count. Needs no key, also while the results are hidden. Its `ETag` is what `If-Match` of a write is compared with.',
    parameters: [...definitionParameters, ifNoneMatch],
    replies: cached(jsonContent('Definition'), 'The definition.'),
  },
  'PATCH /api/poll/{id}': {
    id: 'changePoll',
    summary: 'Open, close, hide, reveal, correct texts, or change the deadline',
    description:
      'Needs the poll’s `admin_key` or an operator’s key in a header. Absent members stay as they are. Repeating the request changes nothing, except for `closes_in`. All screens are updated at once.\n\nA text that changes after the first ballot is a public correction: results then have `edited_at`, and the voting page shows the earlier wording.\n\nWith `If-Match` and the `ETag` of the definition (or of the results), the request changes nothing if the poll is not as it was then: 412 `precondition_failed`. Every write to a poll or a show takes it; a show has its `version` as `ETag`. It is not listed as a parameter, because it only fits what was read before.',
    key: 'required',
    body: { schema: changePollBody, example: { poll: { status: 'closed' } } },
    replies: { 200: json('The changed poll.', 'ChangedResults', { headers: MATCHED }) },
    errors: ['deadline_missing', 'deadline_passed', 'ballots_cast', 'answer_not_found'],
  },
  'DELETE /api/poll/{id}': {
    id: 'deletePoll',
    summary: 'Delete a poll',
    description: 'With all ballots, names and comments. Live streams end with close code 4410.',
    key: 'required',
    replies: { 200: json('The poll was deleted.', 'DeletedPoll') },
  },
  'POST /api/poll/{id}/view_key': {
    id: 'renewViewKey',
    summary: 'Replace the view key',
    description: 'The old key stops working at once.',
    key: 'required',
    replies: { 200: json('The new key, shown only once.', 'NewViewKey') },
  },
  'POST /api/poll/{id}/admin_key': {
    id: 'renewAdminKey',
    summary: 'Replace the admin key',
    description:
      'The old key stops working at once, including sessions and live streams opened with it. Send an `Idempotency-Key`: if the reply is lost, the same request with the old key returns the new key again.',
    key: 'required',
    parameters: [repeatable],
    replies: { 200: json('The new key, shown only once.', 'NewAdminKey') },
    errors: ['idempotency_key_reused'],
  },
  'POST /api/poll/{id}/copy': {
    id: 'copyPoll',
    summary: 'Copy a poll',
    description:
      'The copy has the texts, settings and answers of the poll, no votes and new keys, and is `upcoming`. It is prepared as the original was: hidden results are hidden again, and `closes_in` counts from its opening. A deadline that has passed is left out. Members of the body replace those of the original.\n\nWith the `show_key` of the show that owns the poll, or an operator’s key, the copy belongs to the show and follows the original in its run-down. Otherwise it is a poll of no show. The same limits apply as for creating a poll.',
    key: 'required',
    parameters: [repeatable],
    body: {
      schema: copyPollBody,
      example: { poll: { title: 'Which song next, part two?' } },
      optional: true,
    },
    replies: { 201: created('The copy was created.', 'CopiedPoll', POLL_LINKS) },
    errors: ['idempotency_key_reused', 'deadline_missing', 'rundown_full', 'show_not_found'],
  },
  'POST /api/poll/{id}/void': {
    id: 'voidBallots',
    summary: 'Take the ballots of a network or a period out of the counts',
    description:
      'The ballots stay stored, and their voters cannot vote again. The decision is stored at once, and the last one wins. The counts are exact after each step. The reply is 200 once all ballots are out, and 202 if that takes more than five seconds; it then goes on. Results have `voided_votes`. Repeating the request for a network also takes out what it has cast since.',
    key: 'required',
    body: { schema: voidBody, example: { void: { network: 'q8Zx0hYl3TnAa1Bc' } } },
    replies: {
      200: json('The results without the ballots.', 'VoidedResults'),
      202: json('The decision is stored, and ballots are still being moved.', 'VoidedResults'),
    },
  },
  'DELETE /api/poll/{id}/void/{rule}': {
    id: 'restoreBallots',
    summary: 'Count voided ballots again',
    description: 'Except those that another rule matches.',
    key: 'required',
    parameters: [voidRule],
    replies: {
      200: json('The results with the ballots.', 'RestoredResults'),
      202: json('The decision is stored, and ballots are still being moved.', 'RestoredResults'),
    },
  },
  'GET /api/poll/{id}/log': {
    id: 'readLog',
    summary: 'The log of a verifiable poll',
    description:
      'An append-only log of the ballots, by which anyone can check the result: its name, the key of its signatures and its size. Hidden with the results, unless the poll was created with `show_log_size`.\n\nIf ballots were lost or changed, the log begins again under another `origin`, and `breaks` has the last checkpoint before that.',
    key: 'optional',
    parameters: [viewKey],
    replies: { 200: json('The log.', 'PollLog') },
    errors: LOG_ERRORS,
  },
  'GET /api/poll/{id}/log/checkpoint': checkpoint('readCheckpoint'),
  'GET /api/poll/{id}/log/{epoch}/checkpoint': checkpoint('readCheckpointOfEpoch', [logEpoch]),
  'GET /api/poll/{id}/log/tile/{level}/{index}': tile('readTile'),
  'GET /api/poll/{id}/log/{epoch}/tile/{level}/{index}': tile('readTileOfEpoch', [logEpoch]),
  'GET /api/poll/{id}/log/entries': {
    id: 'readLogEntries',
    summary: 'The ballots of a closed poll',
    description:
      'At most 10,000 lines of JSON within the newest checkpoint, without any data of the voters: `{"sequence": 1, "nonce": "<base64>", "answers": ["<id>"]}`. Ballots that the creator removed have `"voided": true`; a ballot that is not stored any more is `{"sequence": 7, "lost": true}`.',
    key: 'optional',
    parameters: [...logQuery, viewKey],
    replies: {
      200: {
        description: 'The ballots, in order.',
        content: image('application/x-ndjson', 'application/octet-stream'),
        headers: CACHE_CONTROL,
      },
    },
    errors: [...LOG_ERRORS, 'log_open'],
  },
  'GET /api/poll/{id}/picture.png': {
    id: 'drawPicture',
    summary: 'The results as a picture',
    description:
      'The composition of the overlay, for posts and link previews. It also takes the other parameters of an overlay’s URL, such as `lang`, `accent` and `colors`; those of place, time and motion have no effect. Hidden results are drawn as hidden unless the request has a key that reads them. An upcoming poll is drawn without its answers.',
    key: 'optional',
    parameters: [...pictureParameters, viewKey, ifNoneMatch],
    replies: cached(image(...CODE_TYPES.png), 'The picture.'),
    errors: ['rate_limited', 'picture_unavailable'],
  },
  'GET /api/poll/{id}/qr.svg': qrCode('Poll', 'svg'),
  'GET /api/poll/{id}/qr.png': qrCode('Poll', 'png'),
  'POST /api/show': {
    id: 'createShow',
    summary: 'Create a show',
    description:
      'A show is a named place on air: an overlay points to it once, and the poll on air changes. The same limits apply as for creating a poll.',
    key: 'optional',
    parameters: [repeatable],
    body: { schema: createShowBody, example: { show: { name: 'friday-night', title: 'Friday night' } } },
    replies: { 201: created('The show was created.', 'CreatedShow', SHOW_LINKS) },
    errors: ['idempotency_key_reused', 'show_name_taken'],
  },
  'GET /api/show/{name}': {
    id: 'readShow',
    summary: 'Read what is on air',
    description:
      'With the `show_key` or an operator’s key also the run-down and the version. `logo` is a path on the relay.',
    key: 'optional',
    replies: {
      200: json('The show.', 'Show', {
        content: jsonContent('WholeShow', { anyOf: [reference('WholeShow'), reference('Show')] }),
        headers: MATCHED,
      }),
    },
  },
  'PATCH /api/show/{name}': {
    id: 'changeShow',
    summary: 'Put a poll on air, or change the run-down, the title or the look',
    description:
      'Needs the `show_key` or an operator’s key in a header. All overlays of the show change at once. Any poll can be put on air, but only its own key changes it.',
    key: 'required',
    parameters: [pressable],
    body: { schema: changeShowBody, example: { show: { look: { theme: 'light', accent: '#1e90ff' } } } },
    replies: { 200: json('The changed show.', 'ChangedShow', { headers: MATCHED }) },
    errors: ['show_changed', 'on_air_changed', 'idempotency_key_reused', 'poll_not_found'],
  },
  'DELETE /api/show/{name}': {
    id: 'deleteShow',
    summary: 'Delete a show',
    description: 'Frees the name. The polls of the show stay.',
    key: 'required',
    replies: { 200: json('The show was deleted.', 'DeletedShow') },
    errors: BODY_ERRORS,
  },
  'PUT /api/show/{name}/logo': {
    id: 'replaceLogo',
    summary: 'Replace the logo',
    description:
      'The body is the image itself: a still PNG, JPEG or WebP, at most 200 KB and 4,096 pixels wide and high. Its bytes decide, not its `Content-Type`. The old logo is deleted. Counts against what the address can store per day, except with an operator’s key.',
    key: 'required',
    body: { description: 'The image.', content: image('application/octet-stream') },
    replies: { 200: json('The changed show.', 'WholeShow') },
  },
  'DELETE /api/show/{name}/logo': {
    id: 'deleteLogo',
    summary: 'Delete the logo',
    description: 'Repeating the request changes nothing.',
    key: 'required',
    replies: { 200: json('The changed show.', 'WholeShow') },
    errors: BODY_ERRORS,
  },
  'GET /api/show/{name}/logo/{file}': {
    id: 'readLogo',
    summary: 'The logo',
    description: 'The URL contains the hash of the image, so caches may keep it forever.',
    parameters: [logoFile],
    replies: {
      200: {
        description: 'The image.',
        content: image(...IMAGES, 'application/octet-stream'),
        headers: CACHE_CONTROL,
      },
    },
    errors: ['logo_not_found'],
  },
  'GET /api/show/{name}/rundown': {
    id: 'readRundown',
    summary: 'Read the run-down',
    description: 'The state of every poll in the run-down, in one request.',
    key: 'required',
    replies: { 200: json('The run-down, in order.', 'Rundown') },
  },
  'POST /api/show/{name}/poll': {
    id: 'createPollOfShow',
    summary: 'Create a poll at the end of the run-down',
    description:
      'Like creating a poll, with the `show_key` or an operator’s key. The `show_key` also manages the poll. The poll is private whatever `priv` is.',
    key: 'required',
    parameters: [repeatable],
    body: { schema: createPollBody, example: { poll: { ...NEW_POLL, status: 'upcoming' } } },
    replies: { 201: created('The poll was created.', 'CreatedPoll') },
    errors: ['idempotency_key_reused', 'rundown_full'],
  },
  'GET /api/show/{name}/results': {
    id: 'readShowResults',
    summary: 'Read the results of all polls',
    description:
      'The results of every poll in the run-down, hidden ones included if the show owns the poll.\n\n`?format=csv` is the same with one row per answer and exact texts, `?download=csv` a file that is safe to open in a spreadsheet. Neither is listed as a parameter, so that generated clients have one reply type.',
    key: 'required',
    replies: { 200: json('The results, in the order of the run-down.', 'ShowResults') },
  },
  'POST /api/show/{name}/copy': {
    id: 'copyShow',
    summary: 'Copy a show',
    description:
      'The new show has the look, the logo and the polls of the run-down, copied as by `copyPoll` and owned by the new show. Polls that the show does not own are left out. The same limits apply as for creating a show and its polls.',
    key: 'required',
    parameters: [repeatable],
    body: { schema: createShowBody, example: { show: { name: 'saturday-night' } } },
    replies: { 201: created('The copy was created.', 'CopiedShow', SHOW_LINKS) },
    errors: ['idempotency_key_reused', 'show_name_taken'],
  },
  'POST /api/show/{name}/next': button(
    'next',
    'Put the next poll of the run-down on air',
    'If no poll of the run-down is on air, continues after the one that was on air last. Deleted polls are skipped and listed in `skipped`.',
    ['rundown_end'],
  ),
  'POST /api/show/{name}/previous': button(
    'previous',
    'Put the previous poll of the run-down on air',
    'If no poll of the run-down is on air, returns to the one that was on air last.',
    ['rundown_start'],
  ),
  'POST /api/show/{name}/clear': button('clear', 'Take the poll off air', 'Keeps the place in the run-down.'),
  'POST /api/show/{name}/undo': button(
    'undo',
    'Put on air again what was on air before',
    'Takes back the last change of what is on air, up to 20 one after the other. Deleted polls are skipped.',
    ['nothing_to_undo'],
    'UndoneShow',
  ),
  'POST /api/show/{name}/show_key': {
    id: 'renewShowKey',
    summary: 'Replace the key of the show',
    description:
      'The old key stops working at once, for the show and its polls. If the reply is lost, the same Idempotency-Key and the old key return it again.',
    key: 'required',
    parameters: [repeatable],
    replies: { 200: json('The new key, shown only once.', 'NewShowKey') },
    errors: [...BODY_ERRORS, 'idempotency_key_reused'],
  },
  'GET /api/show/{name}/qr.svg': qrCode('Show', 'svg'),
  'GET /api/show/{name}/qr.png': qrCode('Show', 'png'),
  'POST /api/webhook': {
    id: 'createWebhook',
    summary: 'Send events to an address',
    description:
      'By the Standard Webhooks specification, at least once each, in order for each poll and show. Failed deliveries are repeated for a day; then the webhook is disabled. Needs an operator’s key.',
    key: 'required',
    parameters: [repeatable],
    body: {
      schema: createWebhookBody,
      example: { webhook: { url: 'https://hooks.example/polls', events: ['poll.closed'] } },
    },
    replies: { 201: created('The webhook was created.', 'CreatedWebhook') },
    errors: ['idempotency_key_reused', 'webhooks_full'],
  },
  'GET /api/webhook': {
    id: 'listWebhooks',
    summary: 'List the webhooks',
    description: 'In order of creation, without their secrets. Needs an operator’s key.',
    key: 'required',
    replies: { 200: json('The webhooks.', 'WebhookList') },
  },
  'GET /api/webhook/{webhook}': {
    id: 'readWebhook',
    summary: 'Read a webhook',
    description: 'As in the list. Needs an operator’s key.',
    key: 'required',
    parameters: [webhookId],
    replies: { 200: json('The webhook.', 'Webhook') },
    errors: ['webhook_not_found', 'route_not_found'],
  },
  'DELETE /api/webhook/{webhook}': {
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Nothing more is sent to it, except what is on its way. Needs an operator’s key.',
    key: 'required',
    parameters: [webhookId],
    replies: { 200: json('The webhook was deleted.', 'DeletedWebhook') },
    errors: ['webhook_not_found', 'route_not_found'],
  },
  'GET /livez': liveness('isAlive', 'Liveness'),
  'GET /health': liveness('isHealthy', 'The same as /livez'),
  'GET /readyz': {
    id: 'isReady',
    summary: 'Readiness',
    description: 'Failing checks are listed in `issues` with status 503: `engine`, `hints`, `draining`.',
    replies: { 200: json('It is ready.', 'Ready', { headers: {} }) },
  },
  'GET /openapi.json': document('readOpenapi', 'The REST API as OpenAPI 3.1'),
  'GET /asyncapi.json': document('readAsyncapi', 'The live stream as AsyncAPI 3'),
};

const KEY = 'A key of a poll, a show or an operator.';

export function openapiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const [route, outline] of Object.entries(OPERATIONS)) {
    const [method = '', path = ''] = route.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(route, outline) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Tallycast',
      version: VERSION,
      summary: SUMMARY,
      description:
        'Every error is `{"success": 0, "error": {"code", "message", "issues"?}}`, and a request that gets one has created or changed nothing. Other methods get 405 with `Allow`, other URLs 404.\n\nLive results are streams, which OpenAPI 3.1 cannot describe: `/api/poll/{id}/live` and `/api/show/{name}/live` (WebSocket or Server-Sent Events) and `/api/live` (WebSocket), and for programs `/api/events` (Server-Sent Events). See `/asyncapi.json` and `/docs/protocol`.',
      license: LICENSE,
    },
    servers: [{ url: '/', description: 'This relay' }],
    tags: [
      { name: 'Polls', description: 'Create, read and manage polls. Votes are cast on web pages only.' },
      { name: 'Shows', description: 'Named places on air.' },
      { name: 'Programs', description: 'Webhooks, for programs of the operator.' },
      { name: 'Health', description: 'For load balancers and monitoring.' },
    ],
    paths,
    components: {
      schemas: schemasOfOutput(REPLIES),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: KEY },
        bearer: { type: 'http', scheme: 'bearer', description: KEY },
        olderApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'API-KEY',
          description: `${KEY} For older clients.`,
        },
      },
    },
  };
}
