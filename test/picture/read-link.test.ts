import { describe, expect, it } from 'vitest';
import { readLink } from '../../src/picture/read-link.ts';

const ID = 'Ab3456789012';
const poll = { kind: 'poll', id: ID };
const show = { kind: 'show', name: 'friday-night' };

describe('readLink', () => {
  it.each([
    [`https://vote.example/${ID}`, 'voting'],
    [`https://vote.example/polls/${ID}/`, 'voting'],
    [`https://vote.example/${ID}/results`, 'results'],
    [`https://vote.example/${ID}/manage#key=admin_secret`, 'manage'],
    [`https://vote.example/${ID}/share`, 'share'],
    [`http://127.0.0.1:8080/api/poll/${ID}`, 'api'],
    [`https://relay.example/api/poll/${ID}?format=rows`, 'api'],
    [`https://relay.example/api/poll/${ID}/live?hz=5`, 'live'],
    [`wss://relay.example/api/poll/${ID}/live`, 'live'],
    [`https://relay.example/api/poll/${ID}/qr.svg`, 'code'],
    [` https://relay.example/overlay/${ID}?style=donut `, 'overlay'],
    [`https://relay.example/overlay?poll=${ID}`, 'poll'],
    [`file:///home/me/tallycast-loader.html#https://relay.example/overlay/${ID}`, 'overlay'],
    [`<poll-results poll="${ID}"></poll-results>`, 'widget'],
    [`<script src="https://r.example/widget.js" async></script>\n<poll-results poll="${ID}">`, 'widget'],
    [`<iframe src="https://r.example/overlay/${ID}?a=1&amp;style=donut" style="">`, 'overlay'],
    [`vote.example/${ID}`, 'voting'],
    [ID, 'pollId'],
  ])('finds the poll in %s', (text, what) => {
    expect(readLink(text)).toMatchObject({ what, target: poll });
  });

  it.each([
    ['https://relay.example/overlay/show/friday-night', 'overlay'],
    ['https://vote.example/show/friday-night', 'audience'],
    ['https://vote.example/show/friday-night/share', 'share'],
    ['https://vote.example/desk/friday-night#key=show_secret', 'desk'],
    ['https://relay.example/api/show/friday-night', 'api'],
    ['https://relay.example/api/show/friday-night/qr.png?size=900', 'code'],
    ['https://relay.example/overlay?show=friday-night&theme=light', 'show'],
    ['<poll-results show="friday-night" theme="dark"></poll-results>', 'widget'],
    ['friday-night', 'showName'],
  ])('finds the show in %s', (text, what) => {
    expect(readLink(text)).toMatchObject({ what, target: show });
  });

  it('reads the key of a show in a fragment', () => {
    for (const link of ['desk/friday', 'show/friday/share', 'overlay?show=friday'])
      expect(readLink(`https://r.example/${link}#key=show_x`)).toMatchObject({ showKey: 'show_x' });
  });

  it('reads a view key in any place, and leaves out other keys', () => {
    expect(readLink(`https://r.example/overlay/${ID}#key=view_x`)).toMatchObject({ viewKey: 'view_x' });
    expect(readLink(`https://r.example/api/poll/${ID}?key=view_x`)).toMatchObject({ viewKey: 'view_x' });
    expect(readLink(`<poll-results poll="${ID}" view-key="view_x">`)).toMatchObject({ viewKey: 'view_x' });
    for (const link of [`${ID}/manage#key=admin_x`, 'desk/friday?key=show_x', `api/poll/${ID}?key=op_x`]) {
      const read = readLink(`https://r.example/${link}`);
      expect(read, link).toMatchObject({ leavesKey: true });
      expect('viewKey' in read && read.viewKey, link).toBeFalsy();
    }
  });

  it('keeps an overlay’s parameters, without its key', () => {
    const link = readLink(`https://r.example/overlay/${ID}?style=donut&key=view_x&odd=1#key=view_y`);
    expect('look' in link && `${link.look}`).toBe('style=donut&odd=1');
  });

  it('recognizes a rehearsal and the simulated poll', () => {
    expect(readLink('https://r.example/overlay/rehearsal?rehearsal=1')).toMatchObject({
      target: { kind: 'rehearsal' },
    });
    expect(readLink('https://r.example/api/poll/rehearsal')).toMatchObject({
      target: { kind: 'poll', id: 'rehearsal' },
    });
  });

  it('returns the relay of a link, also under a path', () => {
    expect(readLink(`wss://r.example/polls/api/poll/${ID}/live`)).toMatchObject({
      relay: 'https://r.example/polls',
    });
    expect(readLink(`https://vote.example/${ID}`)).toMatchObject({ relay: undefined });
  });

  it('marks a word that may be a poll ID or a show name', () => {
    expect(readLink('fridaynights')).toMatchObject({ target: { kind: 'poll' }, either: true });
    expect(readLink(ID)).toMatchObject({ either: false });
  });

  it.each([
    ['https://www.example.com/watch?v=abc', 'elsewhere'],
    ['https://vote.example/new', 'newPage'],
    ['https://relay.example/api/live', 'allPolls'],
    ['https://relay.example/widget.js', 'script'],
    ['admin_secret', 'keyAlone'],
    ['What shall we sing?', 'noLink'],
    ['<b>bold</b>', 'widget'],
    ['ftp://a.example/Ab3456789012', 'noLink'],
    ['https://%', 'address'],
    ['https://a.example/overlay/%E0%A4%A#%E0', 'elsewhere'],
  ])('says what is wrong with %j', (text, fault) => {
    expect(readLink(text)).toEqual({ fault });
  });
});
