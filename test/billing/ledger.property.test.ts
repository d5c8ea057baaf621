import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settleTurns } from '../store/manual-runtime.ts';
import { type Fate, type Request, World } from './ledger-world.ts';

type Step = (world: World) => void | Promise<void>;

const writer = fc.nat(1);
const fate = fc.constantFrom<Fate>('ok', 'ok', 'lost', 'deaf', 'deaf', 'hang', 'late');

const request: fc.Arbitrary<Request> = fc
  .record({
    writer,
    account: fc.constantFrom(0, 0, 0, 1),
    charges: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
    spare: fc.constantFrom(0, 0, 1, 5),
  })
  .map(({ charges, spare, ...rest }) => {
    const cost = charges.reduce((sum, price) => sum + price, 0);
    return { ...rest, charges, reserve: Math.max(1, cost + spare) };
  });

const named = (name: string, step: Step): Step => Object.assign(step, { toString: () => name });

/** What can happen, as often as its weight says. */
const steps: fc.Arbitrary<Step>[] = [
  ...weigh(6, request, (one) => [`ask ${JSON.stringify(one)}`, (world) => world.ask(one)]),
  ...weigh(6, fc.nat(20), (one) => [`finish ${one}`, (world) => world.finish(one)]),
  ...weigh(3, fc.tuple(writer, fc.array(fate, { minLength: 1, maxLength: 6 })), ([one, fates]) => [
    `weather ${one} ${fates}`,
    (world) => world.weather(one, fates),
  ]),
  ...weigh(2, writer, (one) => [`letGo ${one}`, (world) => world.letGo(one)]),
  ...weigh(3, fc.constant(null), () => ['turns', () => settleTurns(3)]),
  ...weigh(3, fc.constantFrom(1, 60, 500, 4_000, 6_000), (ms) => [
    `advance ${ms}`,
    (world) => world.runtime.advance(ms),
  ]),
  ...weigh(3, fc.constantFrom(-3_000, 1_000, 12_000, 20_000, 25_000, 1_200_000, 3_700_000), (ms) => [
    `leap ${ms}`,
    (world) => world.runtime.leap(ms),
  ]),
  ...weigh(3, fc.constant(null), () => ['sweep', (world) => world.sweep()]),
  ...weigh(1, fc.constantFrom(20_000, 3_700_000), (ms) => [
    `sleep ${ms}`,
    (world) => {
      world.runtime.leap(ms);
      return world.sweep();
    },
  ]),
  ...weigh(1, fc.tuple(fc.nat(1), fc.integer({ min: 0, max: 10 })), ([account, units]) => [
    `topUp ${account} ${units}`,
    (world) => world.topUp(account, units),
  ]),
  ...weigh(1, fc.tuple(writer, fc.boolean()), ([one, arrives]) => [
    `crash ${one} ${arrives}`,
    (world) => world.crash(one, arrives),
  ]),
  ...weigh(1, writer, (one) => [`restart ${one}`, (world) => world.restart(one)]),
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
      const world = await World.begin({ onDisk, seed, credit, writers: 2 });
      try {
        for (const step of story) {
          await step(world);
          world.expectNoFault();
        }
        await world.reckon();
      } finally {
        await world.end();
      }
    },
  );

describe('whatever happens to two processes, their messages, their clock and their store', () => {
  it('the books balance at every commit, nothing acknowledged is lost, and nothing is charged unasked', async () => {
    await fc.assert(story(false), { numRuns: 2_000 });
  }, 120_000);

  it('and so they do when each has its own connection to a file, and dies with it', async () => {
    await fc.assert(story(true), { numRuns: 200 });
  }, 120_000);
});

describe('with credit for k calls', () => {
  it('exactly k of many parallel ones succeed, and the others are told 402', async () => {
    const property = fc.asyncProperty(
      fc.nat(25),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 2 }),
      fc.array(fc.constantFrom<Fate>('ok', 'lost', 'deaf'), { maxLength: 4 }),
      fc.array(fc.constantFrom<Fate>('ok', 'lost', 'deaf'), { maxLength: 4 }),
      async (credit, calls, writers, weather, otherWeather) => {
        const world = await World.begin({ onDisk: false, seed: credit, credit, writers });
        try {
          world.weather(0, weather);
          world.weather(1, otherWeather);
          for (let n = 0; n < calls; n++) world.ask({ writer: n, account: 0, reserve: 1, charges: [1] });
          await world.runtime.advance(4_000);
          const ends = await world.reckon();
          expect(ends.get('acknowledged') ?? 0).toBe(Math.min(credit, calls));
          expect(ends.get('nothing') ?? 0).toBe(Math.max(0, calls - credit));
        } finally {
          await world.end();
        }
      },
    );
    await fc.assert(property, { numRuns: 400 });
  }, 60_000);
});
