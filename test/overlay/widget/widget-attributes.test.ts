import { describe, expect, it } from 'vitest';
import { attributeFault, attributeWarnings } from '../../../src/overlay/widget/widget-attributes.ts';

const RELAY = 'https://relay.example/';

describe('the attributes of the widget', () => {
  it.each([
    { poll: 'Ab3456789012' },
    { poll: 'rehearsal', relay: 'http://127.0.0.1:8080' },
    { show: 'friday-night', sort: 'votes', values: 'both', theme: 'dark', lang: 'de', 'view-key': 'view_x' },
    { poll: 'rehearsal', voided: 'show' },
  ])('are accepted: %o', given => {
    expect(attributeFault(given, RELAY)).toBeUndefined();
    expect(attributeWarnings(given)).toEqual([]);
  });

  it.each([
    [{}, RELAY, 'set poll'],
    [{ poll: '' }, RELAY, 'set poll'],
    [{ poll: 'https://relay.example/api/poll/Ab3456789012' }, RELAY, 'the id alone'],
    [{ show: 'Friday night' }, RELAY, 'no name of a show'],
    [{ poll: 'a' }, '', 'set relay'],
    [{ poll: 'a', relay: 'relay.example' }, RELAY, 'no address like'],
    [{ poll: 'a', relay: 'wss://relay.example' }, RELAY, 'no address like'],
    [{ poll: 'a', 'view-key': 'admin_x' }, RELAY, 'admin key'],
  ])('are rejected if nothing can be shown: %o', (given, relay, words) => {
    expect(attributeFault(given, relay)).toContain(words);
  });

  it('are rejected without repeating an admin key', () => {
    expect(attributeFault({ poll: 'a', 'view-key': 'admin_secret' }, RELAY)).not.toContain('secret');
  });

  it('cause a warning if they are probably wrong', () => {
    expect(attributeWarnings({ poll: 'a', show: 'b', sort: 'vote', theme: 'blue' })).toEqual([
      'poll and show are both set: poll counts',
      'sort="vote" is none of order, votes',
      'theme="blue" is none of light, dark',
    ]);
  });
});
