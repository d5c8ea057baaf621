import { describe, expect, test } from 'vitest';
import { SharedLimits } from '../../src/main/cluster/shared-limits.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';

const limits = { requests: 3, calls: 0 };

describe('the limits that workers share', () => {
  test('count the requests of all workers, and release those of a worker that has ended', () => {
    const shared = new SharedLimits(systemRuntime, 2);
    const [one, two] = [shared.openSession(), shared.openSession()];
    for (const { api } of [one, two, two]) expect(api.admit('key', limits).entered).toBe(true);
    expect(one.api.admit('key', limits).entered).toBe(false);
    expect(one.api.enter('streams', 'key', 1)).toBe(true);
    expect(two.api.enter('streams', 'key', 1)).toBe(false);
    two.end();
    for (const entered of [true, true, false]) expect(one.api.admit('key', limits).entered).toBe(entered);
    one.api.leave('requests', 'key');
    expect(one.api.admit('key', limits).entered).toBe(true);
    one.end();
    expect(shared.openSession().api.enter('streams', 'key', 1)).toBe(true);
  });

  test('give a service the share of its workers if other services use the store', () => {
    const shared = new SharedLimits({ ...systemRuntime, now: () => 0 }, 2);
    const { api } = shared.openSession();
    const allowed = (key: string) =>
      Array.from({ length: 100 }, () => api.take('calls', key, 60)).filter((rate) => rate?.allowed).length;
    expect(allowed('alone')).toBe(60);
    api.liveProcesses(6);
    expect(allowed('one of three')).toBe(20);
    // After its start a service sees fewer processes than it has workers.
    api.liveProcesses(1);
    expect(allowed('at the start')).toBe(60);
  });

  test('serialize the guesses for an account, and count a guess whose worker has ended as wrong', async () => {
    const shared = new SharedLimits(systemRuntime, 2);
    const [one, two] = [shared.openSession(), shared.openSession()];
    for (let guess = 0; guess < 2; guess++) {
      expect(await one.api.beginGuess('account')).toBe(0);
      one.api.endGuess('account', 'wrong');
    }
    expect(await one.api.beginGuess('account')).toBe(0);
    const waits = two.api.beginGuess('account');
    one.end();
    expect(await waits).toBeGreaterThan(50);
    expect(two.api.guessWaitSeconds('account')).toBeGreaterThan(50);
    expect(await two.api.beginGuess('other')).toBe(0);
  });

  test('give the turn of a worker that ended while it waited to the next one', async () => {
    const shared = new SharedLimits(systemRuntime, 3);
    const [one, two, three] = [shared.openSession(), shared.openSession(), shared.openSession()];
    expect(await one.api.beginGuess('account')).toBe(0);
    const lost = two.api.beginGuess('account');
    const next = three.api.beginGuess('account');
    two.end();
    one.api.endGuess('account', 'right');
    expect(await lost).toBe(0);
    expect(await next).toBe(0);
  });

  test('count the test events of an account together', () => {
    const shared = new SharedLimits(systemRuntime, 2);
    const sessions = [shared.openSession(), shared.openSession()];
    const waits = Array.from({ length: 12 }, (_, i) => sessions[i % 2]?.api.takeTestEvent('account'));
    expect(waits.filter((seconds) => seconds === 0)).toHaveLength(10);
    expect(waits.at(-1)).toBeGreaterThan(50);
  });
});
