import type { z } from 'zod';
import { type Issue, PollError } from './poll-error.ts';

/** Each fault that a schema found, as replies list them. @param name of what was checked, where it has no path of its own */
export function issuesOf(error: z.ZodError, name?: string): Issue[] {
  return error.issues.map(({ path, message }) => ({ path: name ?? path.join('.'), message }));
}

export function invalidRequest(error: z.ZodError, name?: string): PollError {
  return new PollError('invalid_request', { issues: issuesOf(error, name) });
}
