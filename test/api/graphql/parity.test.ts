import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { actions } from '../../../src/actions/registry.ts';
import { formatDollars, parseDollars } from '../../../src/shared/model/money.ts';
import { restingBalance } from '../../support/refusal.ts';
import { rows } from './parity-rows.ts';
import { type ParityWorld, startParityWorld } from './parity-world.ts';

let world: ParityWorld;

beforeAll(async () => {
  world = await startParityWorld();
});
afterAll(() => world.stop());

const price = (action: Action) => formatDollars(action.price);
const spentOf = (before: string, after: string | null) =>
  formatDollars((parseDollars(before) ?? 0) - (parseDollars(after ?? '') ?? 0));
const named = (list: readonly Action[]) => list.map((action) => [action.name, action] as const);
const reads = actions.filter(({ effect }) => effect === 'read');
const writes = actions.filter(({ effect }) => effect !== 'read');

test('every action has a row, and every row is of an action', () => {
  expect(Object.keys(rows).sort()).toEqual(actions.map(({ name }) => name).sort());
});

describe('reads', () => {
  test.each(named(reads))('%s answers the same data over both, for the same charge', async (_name, action) => {
    const faces = await world.faces('1', action);
    await world.prepare(action, faces);
    const input = await world.inputFor(action, faces.target);
    const rest = await faces.rest(action, input);
    expect(rest.status, rest.body.error ?? '').toBe(200);
    const answer = await faces.graphql(action, input);
    expect(answer.errors).toEqual([]);
    expect(answer.status).toBe(200);
    expect(answer.found).toEqual(rows[action.name]?.same(rest.body.data));

    expect(rest.headers.get('x-credits-charged') ?? '0').toBe(price(action));
    expect(answer.chargedFor(action)).toEqual({ name: action.name, calls: 1, charged: price(action) });
    expect(answer.others(action).map(({ name }) => name)).toEqual(rows[action.name]?.beside);
    const twice = action.price > 0 ? { calls: 2, charged: formatDollars(2 * action.price) } : undefined;
    expect(await faces.usage(action)).toEqual(twice);
  });

  test('what is compared is not empty', { timeout: 60_000 }, async () => {
    const empty: string[] = [];
    for (const action of reads.filter(({ paged }) => paged)) {
      const faces = await world.faces();
      await world.prepare(action, faces);
      const { found } = await faces.graphql(action, await world.inputFor(action, faces.target));
      if ((found as { nodes: unknown[] }).nodes.length === 0) empty.push(action.name);
    }
    expect(empty).toEqual([]);
  });
});

// Each newcomer's chat keys are recovered, which a busy machine takes its time for.
describe('writes', { timeout: 60_000 }, () => {
  test.each(named(writes))('%s changes the same over both, for the same charge', async (_name, action) => {
    const over = async (face: 'rest' | 'graphql') => {
      const faces = await world.faces('1', action);
      await world.prepare(action, faces);
      const before = await world.state(faces, action);
      const input = await world.inputFor(action, faces.target);
      const credit = await restingBalance(faces.client);
      const sent = face === 'rest' ? await faces.rest(action, input) : await faces.graphql(action, input);
      await world.settle(action, faces);
      const shown = 'found' in sent ? sent.found : rows[action.name]?.same(sent.body.data);
      return {
        ...{ status: sent.status, before, after: await world.state(faces, action), shown: world.bare(shown, faces) },
        ...{
          charged: sent.headers.get('x-credits-charged'),
          spent: spentOf(credit, sent.headers.get('x-credits-remaining')),
        },
        usage: await faces.usage(action),
      };
    };
    const [rest, graphql] = [await over('rest'), await over('graphql')];
    expect(graphql).toEqual(rest);
    expect(rest).toMatchObject({ status: 200, charged: price(action), spent: price(action) });
    expect(rest.usage).toEqual({ calls: 1, charged: price(action) });
    expect(rest.after).not.toEqual(rest.before);
  });
});
