import { expect, it } from 'vitest';
import { MessageBudget } from '../../src/live/websocket-connection.ts';

function spend(budget: MessageBudget, times: number, nowMs: number): number {
  let granted = 0;
  for (let time = 0; time < times; time += 1) if (budget.spend(nowMs)) granted += 1;
  return granted;
}

it('grants 200 messages at once, then ten a second', () => {
  const budget = new MessageBudget(0);
  expect(spend(budget, 300, 0)).toBe(200);
  expect(spend(budget, 10, 99)).toBe(0);
  expect(spend(budget, 10, 100)).toBe(1);
  expect(spend(budget, 100, 1_100)).toBe(10);
});

it('saves up no more than 200, and loses no fraction of a tenth', () => {
  const budget = new MessageBudget(0);
  expect(spend(budget, 300, 3_600_000)).toBe(200);
  let granted = 0;
  for (let nowMs = 3_600_000; nowMs < 3_610_000; nowMs += 30) granted += spend(budget, 1, nowMs);
  expect(granted).toBeGreaterThanOrEqual(99);
  expect(granted).toBeLessThanOrEqual(100);
});
