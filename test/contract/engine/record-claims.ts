import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { type EngineSubject, eventually, soonMs } from './engine-subject.ts';

const drawName = () => `limits:${randomUUID()}` as const;

/** Small texts under a name. */
export function recordClaims(subject: EngineSubject): void {
  it('stores the first of many texts under one name', async () => {
    const name = `limits:${randomUUID()} {:}` as const;
    const stores = [subject.engine.records, subject.other.records];
    expect(await stores[0]!.find(name)).toBeUndefined();
    const kept = await Promise.all(
      Array.from({ length: 20 }, (_, index) => stores[index % 2]!.putIfAbsent(name, `${index}`)),
    );
    expect(new Set(kept).size).toBe(1);
    expect(await stores[1]!.find(name)).toBe(kept[0]);
  });

  it('spends up to a budget and not beyond, with simultaneous calls', async () => {
    const name = drawName();
    const stores = [subject.engine.records, subject.other.records];
    const spend = (index: number, amount: number) => stores[index % 2]!.spend(name, amount, 1_000, 60_000);
    const spent = await Promise.all(Array.from({ length: 20 }, (_, index) => spend(index, 100)));
    expect(spent.filter(Boolean)).toHaveLength(10);
    expect(await spend(0, 1)).toBe(false);
    const other = drawName();
    const { records } = subject.engine;
    expect([await records.spend(other, 11, 10, 60_000), await records.find(other)]).toEqual([
      false,
      undefined,
    ]);
    expect(await records.spend(other, 10, 10, 1)).toBe(true);
    await eventually(async () => expect(await records.spend(other, 10, 10, 60_000)).toBe(true));
  });

  it('replaces a text and removes it', async () => {
    const { records } = subject.engine;
    const name = drawName();
    await records.put(name, '');
    expect(await records.find(name)).toBe('');
    await records.put(name, 'ü'.repeat(10_000));
    expect(await subject.other.records.find(name)).toBe('ü'.repeat(10_000));
    expect(await records.putIfAbsent(name, 'late')).toBe('ü'.repeat(10_000));
    await records.remove(name);
    await records.remove(name);
    expect(await records.find(name)).toBeUndefined();
  });

  it('finds many texts at once, in order, with undefined for missing ones', async () => {
    const { records } = subject.engine;
    const [one, none, other] = [drawName(), drawName(), drawName()];
    await records.put(one, 'one');
    await records.put(other, '');
    expect(await subject.other.records.findMany([other, none, one, one])).toEqual([
      '',
      undefined,
      'one',
      'one',
    ]);
    expect(await records.findMany([])).toEqual([]);
  });

  it('expires a text after its time, unless it is put again without one', async () => {
    const { records } = subject.engine;
    const [brief, lasting] = [drawName(), drawName()];
    const ms = await soonMs(subject);
    await records.put(lasting, 'old', ms);
    await records.put(lasting, 'new');
    expect(await records.putIfAbsent(brief, 'first', ms)).toBe('first');
    expect(await records.find(brief)).toBe('first');
    await eventually(async () => expect(await records.find(brief)).toBeUndefined());
    expect(await records.putIfAbsent(brief, 'second', 60_000)).toBe('second');
    expect(await records.find(lasting)).toBe('new');
  });

  it('replaces the expected text, and no other', async () => {
    const { records } = subject.engine;
    const name = drawName();
    expect(await records.replace(name, '', 'new')).toBe(false);
    expect(await records.find(name)).toBeUndefined();
    await records.put(name, 'one ü', 60_000);
    expect(await records.replace(name, 'one', 'two')).toBe(false);
    expect(await subject.other.records.find(name)).toBe('one ü');
    expect(await subject.other.records.replace(name, 'one ü', '')).toBe(true);
    expect(await records.find(name)).toBe('');
    expect(await records.replace(name, 'one ü', undefined)).toBe(false);
    expect(await records.replace(name, '', undefined)).toBe(true);
    expect(await subject.other.records.find(name)).toBeUndefined();
  });

  it('allows one of many writers who read the same text to replace it', async () => {
    const name = drawName();
    const stores = [subject.engine.records, subject.other.records];
    await stores[0]!.put(name, 'read');
    const texts = Array.from({ length: 20 }, (_, index) => `written by ${index}`);
    const won = await Promise.all(texts.map((text, index) => stores[index % 2]!.replace(name, 'read', text)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await stores[1]!.find(name)).toBe(texts[won.indexOf(true)]);
  });

  it('keeps a replaced text for ever, even if the old one had an expiry', async () => {
    const { records } = subject.engine;
    const [replaced, control] = [drawName(), drawName()];
    const ms = await soonMs(subject);
    for (const name of [replaced, control]) await records.put(name, 'brief', ms);
    expect(await records.replace(replaced, 'brief', 'lasting')).toBe(true);
    await eventually(async () => expect(await records.find(control)).toBeUndefined());
    expect(await records.find(replaced)).toBe('lasting');
  });
}
