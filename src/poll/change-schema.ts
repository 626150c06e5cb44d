import * as z from 'zod';
import type { WantedState } from './poll-change.ts';
import { BODY, closesIn, deadline, LATER, ONE_END, resultsVisibility, WRAPPER } from './poll-schema.ts';
import { unknownMembers } from './unknown-members.ts';

/** The body of `PATCH /api/poll/<id>`, rule by rule as the contract has them. */

const fields = {
  status: z
    .enum(['open', 'closed'], 'must be "open" or "closed"')
    .optional()
    .meta({ description: '`open` also begins the vote of an upcoming poll.' }),
  results_visibility: resultsVisibility.optional(),
  deadline: deadline.optional().meta({
    pattern: LATER,
    description:
      'A moment in the future: any spelling of RFC 3339, a space in place of `T` and second 60 included. `null` takes the deadline away.',
  }),
  closes_in: closesIn.optional(),
};

const poll = z
  .object(fields, WRAPPER)
  .superRefine((given, context) => {
    const issue = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (given.deadline !== undefined && given.closes_in !== undefined) issue(['closes_in'], ONE_END);
    if (Object.keys(given).length === 0)
      issue([], 'must hold status, results_visibility, deadline or closes_in');
  })
  .meta({
    anyOf: Object.keys(fields).map(name => ({ required: [name] })),
    not: { required: ['deadline', 'closes_in'] },
  });

export const changePollBody = z.object({ poll }, BODY).transform(
  ({ poll: { status, results_visibility, deadline, closes_in } }): WantedState => ({
    status,
    resultsVisibility: results_visibility,
    deadlineMs: deadline,
    closesInMs: closes_in === undefined ? undefined : closes_in * 1000,
  }),
);

export function unknownMembersOfPollChange(body: unknown): string[] {
  return unknownMembers(body, 'poll', fields);
}
