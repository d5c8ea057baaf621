import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settleTurns } from '../store/manual-runtime.ts';
import { repetitions } from '../support/repetitions.ts';
import { type AttemptFault, LedgerSimulation, type Request } from './ledger-simulation.ts';

type Step = (fixture: LedgerSimulation) => void | Promise<void>;

const writer = fc.nat(1);
const fate = fc.constantFrom<AttemptFault>('ok', 'ok', 'lost', 'deaf', 'deaf', 'hang', 'late');

const request: fc.Arbitrary<Request> = fc
  .record({
    writer,
    account: fc.constantFrom(0, 0, 0, 1),
    charges: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
    spare: fc.constantFrom(0, 0, 1, 5),
    isRead: fc.boolean(),
    hasBudget: fc.boolean(),
  })
  .map(({ charges, spare, ...rest }) => {
    const cost = charges.reduce((sum, price) => sum + price, 0);
    return { ...rest, charges, reserve: Math.max(1, cost + spare) };
  });

const named = (name: string, step: Step): Step => Object.assign(step, { toString: () => name });

/** All events, with their relative frequency. */
const steps: fc.Arbitrary<Step>[] = [
  ...weigh(6, request, (one) => [`ask ${JSON.stringify(one)}`, (fixture) => fixture.ask(one)]),
  ...weigh(6, fc.nat(20), (one) => [`finish ${one}`, (fixture) => fixture.finish(one)]),
  ...weigh(3, fc.tuple(writer, fc.array(fate, { minLength: 1, maxLength: 6 })), ([one, fates]) => [
    `weather ${one} ${fates}`,
    (fixture) => fixture.weather(one, fates),
  ]),
  ...weigh(2, writer, (one) => [`letGo ${one}`, (fixture) => fixture.letGo(one)]),
  ...weigh(3, fc.constant(null), () => ['turns', () => settleTurns(3)]),
  ...weigh(3, fc.constantFrom(1, 60, 500, 4_000, 6_000), (ms) => [
    `advance ${ms}`,
    (fixture) => fixture.runtime.advance(ms),
  ]),
  ...weigh(3, fc.constantFrom(-3_000, 1_000, 12_000, 20_000, 25_000, 1_200_000, 3_700_000), (ms) => [
    `leap ${ms}`,
    (fixture) => fixture.runtime.leap(ms),
  ]),
  ...weigh(3, fc.constant(null), () => ['sweep', (fixture) => fixture.sweep()]),
  ...weigh(1, fc.constantFrom(20_000, 3_700_000), (ms) => [
    `sleep ${ms}`,
    (fixture) => {
      fixture.runtime.leap(ms);
      return fixture.sweep();
    },
  ]),
  ...weigh(1, fc.tuple(fc.nat(1), fc.integer({ min: 0, max: 10 })), ([account, units]) => [
    `topUp ${account} ${units}`,
    (fixture) => fixture.topUp(account, units),
  ]),
  ...weigh(1, fc.tuple(writer, fc.boolean()), ([one, arrives]) => [
    `crash ${one} ${arrives}`,
    (fixture) => fixture.crash(one, arrives),
  ]),
  ...weigh(1, writer, (one) => [`restart ${one}`, (fixture) => fixture.restart(one)]),
];

function weigh<T>(weight: number, values: fc.Arbitrary<T>, step: (value: T) => [string, Step]): fc.Arbitrary<Step>[] {
  return Array(weight).fill(values.map((value) => named(...step(value))));
}

const story = (onDisk: boolean) =>
  fc.asyncProperty(
    fc.nat(1_000_000),
    fc.integer({ min: 0, max: 40 }),
    fc.array(fc.oneof(...steps), { minLength: 5, maxLength: 80, size: 'max' }),
    async (seed, credit, story) => {
      const fixture = await LedgerSimulation.begin({ onDisk, seed, credit, writers: 2 });
      try {
        for (const step of story) {
          await step(fixture);
          fixture.expectNoFault();
        }
        await fixture.reckon();
      } finally {
        await fixture.end();
      }
    },
  );

describe('two processes with failures of their messages, their clock and their store', () => {
  test('keep correct balances after every commit, keep every key within its daily budget, lose no acknowledged charge, and charge no call twice or without a request', async () => {
    await fc.assert(story(false), { numRuns: repetitions(60, 600) });
  });

  test('do so too if each process has its own connection to a file', async () => {
    await fc.assert(story(true), { numRuns: repetitions(10, 60) });
  });
});

describe('with credit for k calls', () => {
  test('exactly k of many parallel calls succeed, and the others are refused with 402', async () => {
    const property = fc.asyncProperty(
      fc.nat(25),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 2 }),
      fc.array(fc.constantFrom<AttemptFault>('ok', 'lost', 'deaf'), { maxLength: 4 }),
      fc.array(fc.constantFrom<AttemptFault>('ok', 'lost', 'deaf'), { maxLength: 4 }),
      async (credit, calls, writers, weather, otherWeather) => {
        const fixture = await LedgerSimulation.begin({ onDisk: false, seed: credit, credit, writers });
        try {
          fixture.weather(0, weather);
          fixture.weather(1, otherWeather);
          for (let n = 0; n < calls; n++) fixture.ask({ writer: n, account: 0, reserve: 1, charges: [1] });
          await fixture.runtime.advance(4_000);
          const ends = await fixture.reckon();
          expect(ends.get('acknowledged') ?? 0).toBe(Math.min(credit, calls));
          expect(ends.get('nothing') ?? 0).toBe(Math.max(0, calls - credit));
        } finally {
          await fixture.end();
        }
      },
    );
    await fc.assert(property, { numRuns: repetitions(15, 100) });
  });
});
