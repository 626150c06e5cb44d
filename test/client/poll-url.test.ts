import { expect, it } from 'vitest';
import { parsePollUrl } from '../../src/client/poll-url.ts';

it.each([
  ['https://relay.example/api/poll/Ab-_23456789', 'https://relay.example'],
  ['https://relay.example/api/poll/Ab-_23456789/', 'https://relay.example'],
  ['https://relay.example/api/poll/Ab-_23456789/live?hz=5', 'https://relay.example'],
  ['http://127.0.0.1:8080/overlay/Ab-_23456789?style=bars', 'http://127.0.0.1:8080'],
  ['https://example.org/polls/api/poll/Ab-_23456789', 'https://example.org/polls'],
  ['https://example.org/Ab-_23456789', 'https://example.org'],
  ['https://example.org/api/api/poll/Ab-_23456789/live', 'https://example.org/api'],
  ['https://example.org/show/api/poll/Ab-_23456789', 'https://example.org/show'],
  ['wss://relay.example/api/poll/Ab-_23456789/live', 'https://relay.example'],
  ['https://example.org/Ab-_23456789/manage', 'https://example.org'],
])('finds the relay and the poll in %s', (url, relay) => {
  expect(parsePollUrl(url)).toEqual({ relay, id: 'Ab-_23456789', key: undefined });
});

it.each(['#key=view_x', '?key=view_x', '?key=other#key=view_x'])('reads the key from %s', suffix => {
  expect(parsePollUrl(`https://relay.example/overlay/abc${suffix}`).key).toBe('view_x');
});

it.each([
  'https://relay.example/',
  'https://relay.example/api/poll',
  'https://relay.example/api/poll/',
  'https://relay.example/api/poll//live',
  'https://relay.example/api/poll/live',
  'https://relay.example/api/live',
  'https://example.org/polls/overlay/',
  'https://relay.example/overlay/show/friday-night',
  'https://relay.example/api/show/friday-night/live',
  'https://example.org/show/friday-night',
  'https://example.org/desk/friday-night#key=show_x',
  'localhost:8080/api/poll/abc',
  'file:///api/poll/abc',
  'https://relay.example/api/poll/a%20b',
  'abc',
  '',
])('rejects %j, which names no poll', url => {
  expect(() => parsePollUrl(url)).toThrow(TypeError);
});
