import { describe, expect, it } from 'vitest';
import { readLink } from '../../src/overlay/parameter/read-link.ts';

const ID = 'Ab3456789012';
const poll = { kind: 'poll', id: ID };
const show = { kind: 'show', name: 'friday-night' };

describe('readLink', () => {
  it.each([
    [`https://vote.example/${ID}`, 'the voting page of a poll'],
    [`https://vote.example/polls/${ID}/`, 'the voting page of a poll'],
    [`https://vote.example/${ID}/results`, 'the results page of a poll'],
    [`https://vote.example/${ID}/manage#key=admin_secret`, 'the page that manages a poll'],
    [`https://vote.example/${ID}/share`, 'the share page of a poll'],
    [`http://127.0.0.1:8080/api/poll/${ID}`, 'a poll’s address for programs'],
    [`https://relay.example/api/poll/${ID}?format=rows`, 'a poll’s address for programs'],
    [`https://relay.example/api/poll/${ID}/live?hz=5`, 'the live stream of a poll'],
    [`wss://relay.example/api/poll/${ID}/live`, 'the live stream of a poll'],
    [`https://relay.example/api/poll/${ID}/qr.svg`, 'the code of a poll'],
    [` https://relay.example/overlay/${ID}?style=donut `, 'the address of an overlay'],
    [`https://relay.example/overlay?poll=${ID}`, 'a poll'],
    [
      `file:///home/me/tallycast-loader.html#https://relay.example/overlay/${ID}`,
      'the address of an overlay',
    ],
    [`<poll-results poll="${ID}"></poll-results>`, 'the code of a widget'],
    [
      `<script src="https://r.example/widget.js" async></script>\n<poll-results poll="${ID}">`,
      'the code of a widget',
    ],
    [
      `<iframe src="https://r.example/overlay/${ID}?a=1&amp;style=donut" style="">`,
      'the address of an overlay',
    ],
    [`vote.example/${ID}`, 'the voting page of a poll'],
    [ID, 'the id of a poll'],
  ])('knows the poll in %s', (text, what) => {
    expect(readLink(text)).toMatchObject({ what, target: poll });
  });

  it.each([
    ['https://relay.example/overlay/show/friday-night', 'the address of an overlay'],
    ['https://vote.example/show/friday-night', 'the page of a show’s audience'],
    ['https://vote.example/show/friday-night/share', 'the share page of a show'],
    ['https://vote.example/desk/friday-night#key=show_secret', 'the desk of a show'],
    ['https://relay.example/api/show/friday-night', 'a show’s address for programs'],
    ['https://relay.example/api/show/friday-night/qr.png?size=900', 'the code of a show'],
    ['https://relay.example/overlay?show=friday-night&theme=light', 'a show'],
    ['<poll-results show="friday-night" theme="dark"></poll-results>', 'the code of a widget'],
    ['friday-night', 'the name of a show'],
  ])('knows the show in %s', (text, what) => {
    expect(readLink(text)).toMatchObject({ what, target: show });
  });

  it('takes a view key wherever it stands, and no key that does more', () => {
    expect(readLink(`https://r.example/overlay/${ID}#key=view_x`)).toMatchObject({ viewKey: 'view_x' });
    expect(readLink(`https://r.example/api/poll/${ID}?key=view_x`)).toMatchObject({ viewKey: 'view_x' });
    expect(readLink(`<poll-results poll="${ID}" view-key="view_x">`)).toMatchObject({ viewKey: 'view_x' });
    for (const link of [`${ID}/manage#key=admin_x`, 'desk/friday#key=show_x', `api/poll/${ID}?key=op_x`]) {
      const read = readLink(`https://r.example/${link}`);
      expect(read, link).toMatchObject({ leavesKey: true });
      expect('viewKey' in read && read.viewKey, link).toBeFalsy();
    }
  });

  it('takes over how an overlay looks, without its key', () => {
    const link = readLink(`https://r.example/overlay/${ID}?style=donut&key=view_x&odd=1#key=view_y`);
    expect('look' in link && `${link.look}`).toBe('style=donut&odd=1');
  });

  it('says of a rehearsal that it is one, and knows the simulated poll', () => {
    expect(readLink('https://r.example/overlay/rehearsal?rehearsal=1')).toMatchObject({
      target: { kind: 'rehearsal' },
    });
    expect(readLink('https://r.example/api/poll/rehearsal')).toMatchObject({
      target: { kind: 'poll', id: 'rehearsal' },
    });
  });

  it('names the relay of a link, also behind a path of a proxy', () => {
    expect(readLink(`wss://r.example/polls/api/poll/${ID}/live`)).toMatchObject({
      relay: 'https://r.example/polls',
    });
    expect(readLink(`https://vote.example/${ID}`)).toMatchObject({ relay: undefined });
  });

  it('says of a word that may be either that it may', () => {
    expect(readLink('fridaynights')).toMatchObject({ target: { kind: 'poll' }, either: true });
    expect(readLink(ID)).toMatchObject({ either: false });
  });

  it.each([
    ['https://www.example.com/watch?v=abc', 'no link of ours'],
    ['https://vote.example/new', 'the page that makes polls'],
    ['https://relay.example/api/live', 'the live stream of all polls'],
    ['https://relay.example/widget.js', 'a script'],
    ['admin_secret', 'a key alone'],
    ['What shall we sing?', 'no link, no id'],
    ['<b>bold</b>', 'names no poll'],
    ['ftp://a.example/Ab3456789012', 'no link'],
    ['https://%', 'no address'],
    ['https://a.example/overlay/%E0%A4%A#%E0', 'no link of ours'],
  ])('says in words what is wrong with %j', (text, words) => {
    const link = readLink(text);
    expect('fault' in link && link.fault).toContain(words);
  });
});
