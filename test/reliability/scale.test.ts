import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
// @ts-expect-error The scripts have no types.
import { seeded } from '../../scripts/bench/open-loop.js';
// @ts-expect-error The scripts have no types.
import { capacityOf, costsOf, costsOfMix } from '../../scripts/scale/model.js';
// @ts-expect-error The scripts have no types.
import { simulateGateway, simulateHotAccount } from '../../scripts/scale/simulate.js';

const script = fileURLToPath(new URL('../../scripts/scale.js', import.meta.url));

test('the capacity of a mix is predicted before it is measured, and every call and event of it succeeds', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, '--seconds', '0.4', '--unjudged']);
  process.stdout.write(stdout);
  const mixes = ['reads over REST', 'reads and writes over REST, 80 to 20', 'GraphQL with webhook events'];
  for (const mix of mixes) {
    expect(stdout).toContain(`\ncapacity of one gateway: ${mix}: `);
    expect(stdout.indexOf(`${mix}: predicted`)).toBeGreaterThan(0);
    expect(stdout.indexOf(`${mix}: predicted`)).toBeLessThan(stdout.indexOf(`${mix}: measured`));
  }
});

test('two sizes of bursts give the costs of a call and of a turn', () => {
  const costs = costsOf({ one: { cpuMs: 1.2, p50: 3, commits: 2 }, burst: { cpuMs: 0.85 }, size: 8 });
  expect(costs).toMatchObject({ callMs: expect.closeTo(0.8), turnMs: expect.closeTo(0.4), commits: 2 });
  const mix = costsOfMix({ read: 0.5, write: 0.5, event: 0.1 }, { read: costs, write: costs, event: costs });
  expect(mix.callMs).toBeCloseTo(0.88);
  expect(capacityOf(costs, { callers: 8, restCpu: 0.15 })).toBeCloseTo(1_000);
});

test('the simulated capacity is the predicted one, and latency grows towards it', () => {
  const costs = { callMs: 0.5, turnMs: 0.5, waitMs: 2 };
  const capacity = capacityOf(costs, { callers: 64, restCpu: 0 });
  const closed = simulateGateway({ ...costs, callers: 64, random: seeded(1) });
  expect(closed.perSecond / capacity).toBeGreaterThan(0.9);
  expect(closed.perSecond / capacity).toBeLessThan(1.01);
  const at = (share: number) => simulateGateway({ ...costs, perSecond: capacity * share, random: seeded(1) });
  expect(at(0.3).p50).toBeGreaterThan(3);
  expect(at(0.95).p99).toBeGreaterThan(2 * at(0.5).p99);
});

test('the commits of one account take longer the more gateways make them', () => {
  const one = simulateHotAccount({ gateways: 1, commitMs: 5, gapMs: 1, random: seeded(1) });
  const many = simulateHotAccount({ gateways: 50, commitMs: 5, gapMs: 1, random: seeded(1) });
  expect(one).toMatchObject({ p99: expect.closeTo(6), givenUp: 0 });
  expect(many.p50).toBeGreaterThan(20 * one.p50);
  expect(many.perSecond).toBeLessThanOrEqual(200);
});
