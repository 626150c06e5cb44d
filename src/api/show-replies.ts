import * as z from 'zod';
import { REJECTION_REASONS, type RejectionReason } from '../poll/ballot.ts';
import { CHAT_PLATFORMS } from '../poll/chat-platform.ts';
import { MAX_DELAY } from '../poll/show-delay.ts';
import type { ShowLook } from '../protocol/messages.ts';
import { count, pollId, results } from '../protocol/results-schema.ts';
import { PRESSES } from '../show/press-guard.ts';
import { lookMembers } from '../show/show-schema.ts';
import { WINNER_CUES } from '../show/winner.ts';
import { createdPoll, ignored, readResults, shownOnce, url } from './poll-replies.ts';

/** Replies about shows. */

const { closes_in, deadline, edited_at, join_code, status, results_visibility, voided_votes } = results.shape;
export const look = z.object(lookMembers) as z.ZodType as z.ZodType<ShowLook>;
export const looks = z.record(pollId, look);
export const delay = z.number().min(0).max(MAX_DELAY).describe('Seconds that viewers are behind.');
const imagePath = (what: string) =>
  z.string().describe(`Path of ${what} on the relay, which contains the hash of the image.`);
export const logo = imagePath('the logo');
export const ground = imagePath('the image behind full pictures');
const show = z.object({
  success: z.literal(1),
  name: z.string(),
  title: z.string(),
  on_air: pollId.nullable().describe('The id of the poll on air.'),
  look: look.nullable().describe('Parameters of all overlays of the show; `null` for none.'),
  logo: logo.nullable(),
  ground: ground.nullable(),
  delay,
  join_code: join_code.describe(
    'Six or seven digits that the audience types in place of the link. Absent without a code.',
  ),
});
const onAir = show.omit({ look: true, logo: true, ground: true, delay: true });

const press = z.enum(PRESSES);
const pressId = z.string().describe('Names the press: `undo` takes it as `undo`.');
const pressedPoll = pollId
  .nullable()
  .describe('The poll that the press changed, or put on air; `null` if it took one off air.');

export const airedWinner = z
  .object({
    round: count.nullable().describe('The round whose winner has come; `null` for none.'),
    past: z.literal(true).optional().describe('The next press has brought back the table.'),
  })
  .nullable()
  .describe('Of the poll on air, with `"winner": "press"` of the show; otherwise absent or `null`.');

export const wholeShow = show.extend({
  rundown: z.array(pollId).describe('Poll ids, in order.'),
  looks: looks.describe('Looks of polls in the rundown, by their ids, over that of the show.'),
  own: z
    .array(pollId)
    .describe('The polls of the rundown, on air and removed that the show owns. Its key manages them.'),
  place: pollId
    .nullable()
    .describe('The poll of the rundown that is or was on air last. `next` and `previous` continue from it.'),
  version: z.int().min(1).describe('Grows with every change of the show.'),
  final_two: z.boolean().describe('The last two places of a reveal by steps appear together.'),
  close_before_next: z
    .boolean()
    .describe('An open poll of the show is closed when another one takes its place on air.'),
  winner: z.enum(WINNER_CUES).describe('When pictures of the show show the winner.'),
  aired_winner: airedWinner,
  chat: z
    .array(z.object({ platform: z.enum(CHAT_PLATFORMS), channel: z.string() }))
    .describe('Chats whose messages are votes while an open poll of the show is on air.'),
  view_key: z
    .string()
    .optional()
    .describe('Reads with the `show_key` only: reads all of the show, and presses nothing.'),
  undo: z
    .object({
      id: pressId,
      press,
      poll: pressedPoll,
      on_air: pollId.nullable().describe('What is on air then.'),
    })
    .nullable()
    .describe('The press that `undo` takes back; `null` if there is nothing to undo.'),
  screens: count
    .optional()
    .describe(
      'Reads only: screens that follow the show or show the poll on air, over all relays, without voters’ pages.',
    ),
  phones: count.optional().describe('Reads only: open voting pages that follow the show.'),
  rejected: z
    .object(
      Object.fromEntries(REJECTION_REASONS.map(reason => [reason, count])) as Record<
        RejectionReason,
        typeof count
      >,
    )
    .optional()
    .describe(
      'Reads only: ballots of the poll on air that were rejected, by reason, if the show owns it. Updated every two seconds.',
    ),
  chat_state: z
    .array(
      z.object({
        platform: z.enum(CHAT_PLATFORMS),
        channel: z.string(),
        state: z
          .enum(['off', 'waiting', 'joining', 'connected', 'lost', 'ended'])
          .describe(
            '`off`: no process reads this platform; `waiting`: nothing is on air; `ended`: the stream is over, or the channel is gone.',
          ),
        fault: z.string().nullable().describe('Why it is not connected; `null` without a reason.'),
        messages_per_second: count,
        votes: count.describe('People counted since the poll is on air.'),
        lost: count.describe('Votes that were not counted, because there were too many at once.'),
        early: count.describe(
          'Votes that were not counted, because they came before the poll on air was open.',
        ),
        late: z
          .int()
          .nullable()
          .describe(
            'Seconds between the date of messages and their arrival, by the clock of this server; `null` below 5.',
          ),
      }),
    )
    .optional()
    .describe(
      'Reads only: the links of `chat`, with the worst state of all processes that read them. At most two seconds old; a process that died disappears within 20.',
    ),
  now: z
    .number()
    .optional()
    .describe(
      'Reads only: UNIX time in seconds by the clock of the relay, which `Request-Expires` is compared with.',
    ),
});
const rundownPoll = z.union([
  z.object({ id: pollId, gone: z.literal(true).describe('The poll was deleted.') }),
  z.object({
    id: pollId,
    gone: z.literal(false),
    owned: z.boolean().describe('The show owns this poll: its key manages it.'),
    title: z.string(),
    status,
    results_visibility,
    deadline,
    closes_in,
    mip: z
      .boolean()
      .exactOptional()
      .describe('Several ballots from one network count. Only for polls that the show owns.'),
    verifiable: z.boolean().describe('The poll has a log that anyone can check.'),
    change_vote: z.boolean().describe('Voters may change or withdraw their vote.'),
    total_votes: count.nullable().describe('`null` if the results are hidden from this key.'),
    total_voters: count.nullable(),
    voided_votes,
    edited_at,
  }),
]);

/** What each button of a show does now. */
export const buttons = z.object({
  on_air: z
    .object({
      id: pollId,
      title: z.string(),
      status,
      total_votes: count,
      deadline,
      time_left: z.number().nullable().describe('Seconds until an open poll closes.'),
    })
    .nullable(),
  next: z.object({ id: pollId, title: z.string() }).nullable(),
  buttons: z.record(
    z.string(),
    z.object({
      possible: z.boolean(),
      why: z
        .string()
        .nullable()
        .describe('The code of the error that a press gets, or `unchanged`; `null` if it is possible.'),
      label: z.string().describe('Such as `Next: Best outfit`.'),
      color: z
        .enum(['red', 'green', 'white', 'gray'])
        .describe('Red acts on what is on air, green is what comes next.'),
    }),
  ),
});

/** A press of a show, in errors and messages. */
export const pressed = z.object({
  press: z.enum([...PRESSES, 'undo']),
  hand: z
    .string()
    .describe('Begins with `desk-` for a desk; else the name that a program gave itself, or empty.'),
  at: z.number().describe('UNIX time in seconds.'),
});

const createdShow = onAir.extend({
  show_key: z.string().describe('Manages the show. Shown only once.'),
  view_key: z.string().describe('Reads all of the show, hidden results too, and presses nothing.'),
  ignored,
  links: z.object({ overlay: url, vote: url, desk: url, presenter: url, live: url, qr: url }),
});

/** In replies to buttons. */
const poll = readResults
  .nullable()
  .describe(
    'The poll on air, as a read of it; `null` if nothing is on air, or this key does not read its results.',
  );

export const SHOW_REPLIES = {
  Look: look,
  Show: show,
  WholeShow: wholeShow,
  ChangedShow: wholeShow.extend({ ignored }),
  PressedShow: wholeShow.extend({ poll, ignored }),
  SteppedShow: wholeShow.extend({
    poll,
    skipped: z.array(pollId).describe('Deleted polls that were skipped.'),
    ignored,
  }),
  UndoneShow: wholeShow.extend({
    poll,
    undone: z
      .object({
        id: pressId,
        press,
        poll: pressedPoll,
        on_air: pollId.nullable().describe('What was on air until now.'),
        seen: z.boolean().describe('Viewers have seen the results that are hidden again.'),
      })
      .nullable()
      .describe('The press that was taken back; `null` if the same request was carried out before.'),
    ignored,
  }),
  ShowButtons: z.object({ success: z.literal(1), name: z.string(), ...buttons.shape }),
  Rundown: onAir.extend({
    version: z.int().min(1),
    rundown: z.array(rundownPoll),
    removed: z
      .array(rundownPoll)
      .describe(
        'Polls of the show that are no longer in the rundown, the newest first. Deleted ones are left out.',
      ),
  }),
  ShowResults: z.object({
    success: z.literal(1),
    name: z.string(),
    title: z.string(),
    polls: z
      .array(
        z.object({
          id: pollId,
          gone: z.boolean().describe('The poll was deleted.'),
          owned: z.boolean().describe('The show owns this poll: its key reads it.'),
          title: z.string().nullable().describe('`null` if the poll was deleted.'),
          results: results
            .nullable()
            .describe('`null` if the poll was deleted, or its results are hidden from this key.'),
          rounds: z
            .array(results)
            .exactOptional()
            .describe('Earlier rounds of a poll that was begun again, if the key may see the results.'),
        }),
      )
      .describe('The rundown, in order, and then removed polls.'),
  }),
  NewShowKey: z.object({
    success: z.literal(1),
    name: z.string(),
    show_key: shownOnce,
    links: z.object({ desk: url }),
  }),
  NewShowViewKey: z.object({
    success: z.literal(1),
    name: z.string(),
    view_key: z.string(),
    links: z.object({ presenter: url }),
  }),
  CreatedShow: createdShow,
  CopiedShow: createdShow.extend({
    copy_of: z.string().describe('The original.'),
    polls: z
      .array(
        z.object({
          id: pollId,
          copy_of: pollId.describe('The original.'),
          title: z.string(),
          admin_key: createdPoll.shape.admin_key,
          view_key: createdPoll.shape.view_key,
        }),
      )
      .describe('The polls of the rundown, in order.'),
    left_out: z
      .array(pollId)
      .describe('Polls of the original rundown that were deleted, or that the show does not own.'),
  }),
  DeletedShow: z.object({ success: z.literal(1), name: z.string() }),
};
