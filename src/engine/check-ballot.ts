import { hash } from 'node:crypto';
import type { Ballot } from '../poll/ballot.ts';
import { CHAT_PLATFORMS } from '../poll/chat-platform.ts';

/** Length of a voter, an address, a ballot id and a proof. Engines have limits of their own. */
const MAX_CHARACTERS = 128;
const NETWORK = /^[\w-]{0,64}$/;
const DIGEST_CHARACTERS = 16;

/**
 * Checks a ballot of another program: without types, a voter `undefined` would be one voter for all.
 *
 * @throws TypeError if a member is missing or has a wrong type
 * @throws RangeError if a text is empty or longer than 128 characters
 */
export function checkBallot(ballot: Ballot): Ballot {
  if (typeof ballot !== 'object' || ballot === null) throw new TypeError('A ballot must be an object');
  const { pollId, answers, voter, address, ballotId, name, proof, network, signedIn, behindVpn } = ballot;
  const { source, change, round } = ballot;
  if (typeof pollId !== 'string') throw wrongType('pollId', 'a string', pollId);
  if (!Array.isArray(answers)) throw wrongType('answers', 'an array of answer ids', answers);
  for (const answer of answers) if (typeof answer !== 'string') throw wrongType('answers', 'strings', answer);
  checkKey('voter', voter);
  checkKey('address', address);
  checkKey('ballotId', ballotId);
  if (name !== undefined && typeof name !== 'string') throw wrongType('name', 'a string', name);
  if (network !== undefined && (typeof network !== 'string' || !NETWORK.test(network)))
    throw new TypeError("A ballot's network must be a string of at most 64 of A-Z a-z 0-9 - _");
  if (source !== undefined && !CHAT_PLATFORMS.includes(source))
    throw new TypeError(`A ballot's source must be one of ${CHAT_PLATFORMS.join(', ')}`);
  if (round !== undefined && !Number.isInteger(round)) throw wrongType('round', 'a whole number', round);
  // The text "false" would be a yes.
  if (change !== undefined && (typeof change !== 'object' || change === null))
    throw wrongType('change', 'an object', change);
  if (change?.receipt !== undefined) checkKey('change.receipt', change.receipt);
  for (const [member, value] of Object.entries({ signedIn, behindVpn }))
    if (value !== undefined && typeof value !== 'boolean') throw wrongType(member, 'true or false', value);
  if (proof === undefined) return ballot;
  if (typeof proof !== 'object' || proof === null) throw wrongType('proof', 'an object', proof);
  checkKey('proof.id', proof.id);
  if (!Number.isFinite(proof.expiresAtMs))
    throw wrongType('proof.expiresAtMs', 'a number of milliseconds', proof.expiresAtMs);
  return ballot;
}

function checkKey(member: string, value: unknown): void {
  if (typeof value !== 'string') throw wrongType(member, 'a string', value);
  if (value.length === 0 || value.length > MAX_CHARACTERS)
    throw new RangeError(
      `A ballot's ${member} must have 1 to ${MAX_CHARACTERS} characters, not ${value.length}`,
    );
}

function wrongType(member: string, wanted: string, value: unknown): TypeError {
  return new TypeError(
    `A ballot's ${member} must be ${wanted}, not ${value === null ? 'null' : typeof value}`,
  );
}

/** Shortens a voter, an address or a proof for storage: the first 12 bytes of SHA-256, as base64url. */
export function digestOf(id: string): string {
  return hash('sha256', id.toWellFormed(), 'base64url').slice(0, DIGEST_CHARACTERS);
}
