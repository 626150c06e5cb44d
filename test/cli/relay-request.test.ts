import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { pollTarget } from '../../src/cli/relay-request.ts';

const RELAY = 'http://127.0.0.1:8080/';
const ID = 'Ab-_23456789';

it.each([
  [ID, `http://127.0.0.1:8080/api/poll/${ID}`],
  [`https://relay.example/api/poll/${ID}`, `https://relay.example/api/poll/${ID}`],
  [`https://relay.example/overlay/${ID}?style=bars`, `https://relay.example/api/poll/${ID}`],
  [`http://vote.example:8081/${ID}`, `http://127.0.0.1:8080/api/poll/${ID}`],
  [`http://vote.example:8081/${ID}/manage`, `http://127.0.0.1:8080/api/poll/${ID}`],
])('resolves %s to %s', (target, url) => {
  expect(pollTarget(target, RELAY)).toMatchObject({ url, id: ID });
});

it.each(['no/pe', '', 'https://', 'ftp://x y', '-'.repeat(65)])('rejects %j', target => {
  expect(() => pollTarget(target, RELAY)).toThrow(InvalidArgumentError);
});
