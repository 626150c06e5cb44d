import type { onRequestHookHandler } from 'fastify';
import { callerAddress, keyOfRequest } from '../http/caller.ts';
import { takeOne } from '../http/rate-limit.ts';
import { PollError } from '../poll/poll-error.ts';
import type { ApiOptions } from './api-options.ts';

/** What is counted together: everything that somebody creates, or everything that somebody changes. */
type Limited = 'create' | 'changes';

const WHAT: Record<Limited, string> = {
  create: 'new polls and shows',
  changes: 'changes of polls and shows',
};

/**
 * Limits what a caller may ask for in a minute. An address may be a whole station's; whoever shows an operator's key is counted
 * by the key, wherever it comes from, and may do more.
 */
export function limitCallers(
  kind: Limited,
  { counts, isOperatorKey, createPerMinute, changesPerMinute, operatorPerMinute }: ApiOptions,
): onRequestHookHandler {
  const ofAddress = { name: kind, max: kind === 'create' ? createPerMinute : changesPerMinute };
  const ofOperator = { name: 'operator', max: operatorPerMinute };
  const scope = kind === 'create' ? 'create' : 'manage';
  const tooMany = (what: string) => (seconds: number) =>
    new PollError('rate_limited', {
      message: `Too many ${what}. Try again in ${seconds} s.`,
      retryAfterSeconds: seconds,
    });
  const tooManyOfAddress = tooMany(`${WHAT[kind]} from this address`);
  const tooManyOfOperator = tooMany('requests with this key');

  return (request, reply, done) => {
    const key = keyOfRequest(request);
    const refusal =
      key?.carrier === 'header' && isOperatorKey(key.hash, scope)
        ? takeOne(reply, counts, `operator ${key.hash}`, ofOperator, tooManyOfOperator)
        : takeOne(reply, counts, `${kind} ${callerAddress(request)}`, ofAddress, tooManyOfAddress);
    done(refusal);
  };
}
