import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Comments } from '../../src/engine/engine.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import { EventClient } from '../support/event-client.ts';
import { fieldValue, solveForm, type Visitor, visibleText } from './visitor.ts';
import { type LiveSite, readSecret, startLiveSite, startVotingSite } from './voting-site.ts';

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

/** Votes if necessary and opens the comment form. @returns its token */
async function openForm(visitor: Visitor, id: string): Promise<string> {
  const page = await visitor.get(`/${id}`);
  const answer = /name="answer" value="([^"]+)"/.exec(page.body)?.[1];
  if (answer) await visitor.post(`/${id}/ballot`, { ...(await solveForm(page.body)), answer });
  return fieldValue((await visitor.get(`/${id}`)).body, 'comment') ?? '';
}

async function write(visitor: Visitor, id: string, text: string, name = '') {
  const comment = await openForm(visitor, id);
  return visitor.post(`/${id}/comments`, { comment, text, name });
}

describe('comments', () => {
  it('are shown newest first, under the poll', async () => {
    const { id } = await site.createPoll({ co: true });
    expect((await write(site.visitor({ origin: site.url }), id, 'First!', 'Mira')).statusCode).toBe(303);
    await write(site.visitor({ origin: site.url }), id, 'Second\r\nwith a line');
    const text = visibleText((await site.visitor().get(`/${id}`)).body);
    expect(text).toMatch(/Anonymous .* Second with a line .*Mira .* First!/);
  });

  it('do not exist in a poll without comments', async () => {
    const { id } = await site.createPoll();
    const visitor = site.visitor({ origin: site.url });
    expect((await visitor.get(`/${id}`)).body).not.toContain('comments');
    expect((await visitor.post(`/${id}/comments`, { text: 'x' })).statusCode).toBe(404);
    expect((await visitor.get(`/${id}/comments/live`)).statusCode).toBe(404);
  });

  it.each(['before', 'after'])('that failed %s storing are stored once by a retry', async when => {
    let broken = true;
    const add: Comments['add'] = async (...comment) => {
      if (!broken) return site.engine.comments.add(...comment);
      broken = false;
      if (when === 'after') await site.engine.comments.add(...comment);
      throw new PollError('engine_unavailable');
    };
    const shaky = await startVotingSite({ engine: engineWith(site.engine, { comments: { add } }) });
    const { id } = await site.createPoll({ co: true });
    const visitor = shaky.visitor();
    const comment = await openForm(visitor, id);
    const send = async () =>
      (await visitor.post(`/${id}/comments`, { comment, text: 'Not lost' })).statusCode;
    expect([await send(), await send(), await send()]).toEqual([503, 303, 303]);
    const [written, ...more] = await site.engine.comments.list(id);
    expect([written?.text, more]).toEqual(['Not lost', []]);
    // A retry does not restore a removed comment.
    await site.engine.comments.remove(id, written!.id);
    expect(await send()).toBe(303);
    expect(await site.engine.comments.list(id)).toEqual([]);
    await shaky.close();
  });

  it.each([
    ['empty', '  ', ''],
    ['too long', 'x'.repeat(1_001), ''],
    ['control characters', 'a\u0007b', ''],
    ['name', 'fine', 'x'.repeat(81)],
  ])('that are invalid (%s) are shown again in the form', async (_, text, name) => {
    const { id } = await site.createPoll({ co: true });
    const reply = await write(site.visitor({ origin: site.url }), id, text, name);
    expect(reply.statusCode).toBe(400);
    expect(visibleText(reply.body)).toContain('Your comment wasn’t sent');
    expect(reply.body).toContain(`>${text}</textarea>`);
    expect(await site.engine.comments.list(id)).toHaveLength(0);
  });

  it('with a forged form are rejected', async () => {
    const { id } = await site.createPoll({ co: true });
    const [visitor, other] = [site.visitor({ origin: site.url }), site.visitor({ origin: site.url })];
    const comment = await openForm(other, id);
    await openForm(visitor, id);
    expect((await visitor.post(`/${id}/comments`, { comment, text: 'x' })).statusCode).toBe(400);
    expect(await site.engine.comments.list(id)).toHaveLength(0);
  });

  it('need a counted vote: voter cookies alone are not enough', async () => {
    const { id, poll } = await site.createPoll({ co: true, mip: true });
    const secret = await readSecret(site.engine);
    for (let n = 0; n < 20; n += 1) {
      const visitor = site.visitor({ origin: site.url });
      const page = await visitor.get(`/${id}`);
      expect(page.body).not.toContain('<textarea');
      expect(visibleText(page.body)).toContain('Vote in this poll before you comment.');
      const voter = secret.unseal('voter', visitor.cookie('voter'))!;
      // Even with a valid token, which this page does not contain.
      const comment = secret.seal('comment', `comment ${n}`, id, voter);
      const reply = await visitor.post(`/${id}/comments`, { comment, text: 'Buy this' });
      expect(reply.statusCode).toBe(400);
      expect(visibleText(reply.body)).toContain('Your comment wasn’t sent');
    }
    expect(await site.engine.comments.list(id)).toEqual([]);
    const voter = site.visitor({ origin: site.url });
    await voter.vote(id, poll.answers[0]!.id);
    expect((await voter.get(`/${id}`)).body).toContain('<textarea');
  });

  it('appear and disappear live', async () => {
    const { id, adminKey } = await site.createPoll({ co: true });
    const reader = await EventClient.open(`${site.url}/${id}/comments/live`);
    await write(site.visitor({ origin: site.url }), id, 'Hello');
    await write(site.visitor({ origin: site.url }), id, 'Goodbye');
    const shown = () => {
      const lists = reader.events.map(({ message }) => message as unknown).filter(Array.isArray);
      return lists.at(-1)?.map(({ text }) => text);
    };
    await expect.poll(shown).toEqual(['Goodbye', 'Hello']);
    const creator = site.visitor({ origin: site.url });
    await creator.post(`/${id}/manage/key`, { key: adminKey });
    const [newest] = await site.engine.comments.list(id);
    await creator.post(`/${id}/manage/remove-comment`, { comment: newest!.id });
    expect(visibleText((await creator.get(`/${id}/manage`)).body)).toContain('The comment has been removed');
    await expect.poll(shown).toEqual(['Hello']);
    reader.close();
  });
});
