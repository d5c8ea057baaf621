import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import { actions } from '../../../src/actions/registry.ts';
import { errorTable } from '../../../src/shared/errors/table.ts';
import { formatDollars, parseDollars } from '../../../src/shared/model/money.ts';
import { restingBalance } from '../../support/refusal.ts';
import { oneOfEachKind } from '../../support/repetitions.ts';
import type { ApiClients, ParityFixture } from './parity-fixture.ts';
import { rows } from './parity-rows.ts';

const price = (action: Action) => formatDollars(action.price);
const spentOf = (before: string, after: string | null) =>
  formatDollars((parseDollars(before) ?? 0) - (parseDollars(after ?? '') ?? 0));
const named = (list: readonly Action[]) => list.map((action) => [action.name, action] as const);

/**
 * Removes the name of the action or operation that is refused. GraphQL reads messages through the list of conversations, and lists of a
 * tweet through the tweet, which is refused first.
 */
const withoutName = (message: string) =>
  message.replace(/^(Not supported by this platform:|The platform's rate limit of) [\w/]+/, '$1');

/** Checks that REST and GraphQL refuse the input with the same status, a code of the error table, and no charge. */
export async function expectSameRefusal(
  by: ApiClients,
  action: Action,
  input: Readonly<Record<string, unknown>>,
  status: number,
  headers = {},
) {
  const rest = await by.rest(action, input, headers);
  expect(rest.status, rest.body.error ?? '').toBe(status);
  expect(rest.headers.get('x-credits-charged')).toBeNull();

  const answer = await by.graphql(action, input, headers);
  expect(answer.found ?? null).toBeNull();
  expect(answer.errors).toHaveLength(1);
  const [{ message = '', extensions } = {}] = answer.errors;
  expect(extensions?.status, message).toBe(status);
  const codes = Object.values(errorTable).filter((each) => each.status === status && each.graphql !== 'TOO_COSTLY');
  expect(codes.map(({ graphql }) => graphql)).toContain(extensions?.code);
  expect(answer.chargedFor(action)).toBeUndefined();
  expect(answer.status).toBe(answer.data === null ? status : 200);
  // GraphQL spells field names differently, and a list has the additional cost of its owner.
  if (extensions?.field === undefined && status !== 400 && status !== 402)
    expect(withoutName(message)).toBe(withoutName(rest.body.error ?? ''));
  if (status === 429) expect(extensions?.retryAfterSeconds).toBe(Number(rest.headers.get('retry-after')));
  return answer;
}

/** Actions that a platform adapter performs. The others are the same on every platform. */
export const onPlatform = actions.filter(({ name }) => !/^(?:webhooks|account)\//.test(name));

/** Declares the tests that compare REST and GraphQL on one platform. `allWrites` is false if each write takes long there. */
export function compareApis(
  start: () => Promise<ParityFixture>,
  compared: readonly Action[] = actions,
  allWrites?: boolean,
): void {
  const reads = oneOfEachKind(compared.filter(({ effect }) => effect === 'read'));
  const writes = oneOfEachKind(
    compared.filter(({ effect }) => effect !== 'read'),
    allWrites,
  );
  let fixture: ParityFixture;

  beforeAll(async () => {
    fixture = await start();
  });
  afterAll(() => fixture?.stop());

  async function expectSameLack(action: Action): Promise<void> {
    const apiClients = await fixture.apiClients('1', action);
    await expectSameRefusal(apiClients, action, fixture.inputFor(action, apiClients.target), 501);
    expect(await apiClients.usage(action)).toBeUndefined();
  }

  describe('reads', () => {
    test.each(named(reads))('%s answers the same data over both, for the same charge', async (_name, action) => {
      if (!fixture.platform.supports(action.name)) return expectSameLack(action);
      if (!fixture.canRun(action)) return;
      const apiClients = await fixture.apiClients('1', action);
      await fixture.prepare(action, apiClients);
      const input = fixture.inputFor(action, apiClients.target);
      const rest = await apiClients.rest(action, input);
      expect(rest.status, rest.body.error ?? '').toBe(200);
      const answer = await apiClients.graphql(action, input);
      expect(answer.errors).toEqual([]);
      expect(answer.status).toBe(200);
      expect(answer.found).toEqual(rows[action.name]?.same(rest.body.data));
      if (action.paged) expect((answer.found as { nodes: unknown[] }).nodes).not.toEqual([]);

      expect(rest.headers.get('x-credits-charged') ?? '0').toBe(price(action));
      expect(answer.chargedFor(action)).toEqual({ name: action.name, calls: 1, charged: price(action) });
      expect(answer.others(action).map(({ name }) => name)).toEqual(rows[action.name]?.beside);
      const twice = action.price > 0 ? { calls: 2, charged: formatDollars(2 * action.price) } : undefined;
      expect(await apiClients.usage(action)).toEqual(twice);
    });
  });

  // The timeout is long, because the chat keys of each new user must be recovered.
  describe('writes', () => {
    test.each(named(writes))('%s changes the same over both, for the same charge', async (_name, action) => {
      if (!fixture.platform.supports(action.name)) return expectSameLack(action);
      if (!fixture.canRun(action)) return;
      const over = async (face: 'rest' | 'graphql') => {
        const apiClients = await fixture.apiClients('1', action);
        await fixture.prepare(action, apiClients);
        const before = await fixture.settledState(apiClients, action);
        const input = fixture.inputFor(action, apiClients.target);
        const credit = await restingBalance(apiClients.client);
        const sent = face === 'rest' ? await apiClients.rest(action, input) : await apiClients.graphql(action, input);
        const remaining = sent.headers.get('x-credits-remaining') ?? (await restingBalance(apiClients.client));
        await fixture.settle(action, apiClients);
        const shown = 'found' in sent ? sent.found : rows[action.name]?.same(sent.body.data);
        return {
          status: sent.status,
          before,
          after: await fixture.settledState(apiClients, action, before),
          shown: fixture.bare(shown, apiClients),
          charged: sent.headers.get('x-credits-charged') ?? '0',
          spent: spentOf(credit, remaining),
          usage: await apiClients.usage(action),
        };
      };
      const [rest, graphql] = [await over('rest'), await over('graphql')];
      expect(graphql).toEqual(rest);
      expect(rest).toMatchObject({ status: 200, charged: price(action), spent: price(action) });
      expect(rest.usage).toEqual(action.price > 0 ? { calls: 1, charged: price(action) } : undefined);
      expect(rest.after).not.toEqual(rest.before);
    });
  });
}
