import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/actions/action.ts';
import { keyGroupOf } from '../../src/actions/pipeline/key-permission.ts';
import { actions } from '../../src/actions/registry.ts';
import { tools } from '../../src/mcp/tools.ts';
import { endpointGroups } from '../../src/shared/model/key-restrictions.ts';
import { rows, variablesOf } from '../api/graphql/parity-rows.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { oneOfEachKind } from '../support/repetitions.ts';
import { useService } from '../support/use-service.ts';
import { McpCaller } from './mcp-caller.ts';

const { service, ada: owner, graphql } = await useService({ RATE_LIMIT: '0' });

async function keyWith(restrictions: Record<string, unknown>): Promise<string> {
  const { status, body } = await owner.post('/account/keys', { name: 'Restricted', ...restrictions });
  expect(status, body.error ?? '').toBe(200);
  return String(body.data['key']);
}

function callersOf(key: string) {
  const rest = owner.with({ key });
  const credentials = { ...rest.options, encryptionCode: '123456' };
  const mcp = new McpCaller(`${service.origin}/mcp?policy=destructive`, credentials);
  return { rest, graphql: graphql.with({ key }), mcp };
}

const toolOf = new Map<string, string>(tools.map((tool) => [tool.action.name, tool.definition.name]));

/** Checks that a key may not perform an action by any API. Permission is checked before the input. */
async function expectForbidden(action: Action, { rest, graphql, mcp }: ReturnType<typeof callersOf>): Promise<void> {
  const { name } = action;
  const row = rows[name];
  if (!row) throw new Error(`${name} has no row`);
  expectRefusal(await rest.call(action, action.example), 403, /^This API key/);
  const { data, errors } = await graphql.ask(row.document, variablesOf(name, action.example));
  const values = Object.values(data ?? {}).flatMap((field) => Object.values(field ?? {}));
  expect(values.filter((value) => value !== null)).toEqual([]);
  expect(errors.map(({ extensions }) => extensions.code)).toContain('FORBIDDEN');
  const tool = toolOf.get(name);
  if (tool === undefined) return;
  const { isError, structured } = await mcp.call(tool, {});
  expect([isError, structured.error?.['code']]).toEqual([true, 'forbidden']);
}

describe('a read-only key', async () => {
  const callers = callersOf(await keyWith({ read_only: true }));
  const writes = oneOfEachKind(actions.filter(({ effect }) => effect !== 'read'));
  test.each(writes)('cannot call $name by any API', (action) => expectForbidden(action, callers));

  test('is charged nothing for refused calls', async () => {
    expect(await restingBalance(owner)).toBe('1');
  });
});

describe.each(endpointGroups)('a key of the group %s', (group) => {
  test('cannot call anything of the other groups by any API', async () => {
    const callers = callersOf(await keyWith({ groups: [group] }));
    const others = oneOfEachKind(actions.filter((action) => keyGroupOf(action) !== group));
    expect(others.length).toBeGreaterThan(0);
    for (const action of others) await expectForbidden(action, callers);
    expect(await restingBalance(owner)).toBe('1');
  });
});

describe('every way to use a key', () => {
  /** Returns the statuses of one call by each API, and of a live stream opened with the key and with a token that it made. */
  async function waysWith(key: string, token: string | null) {
    const { rest, graphql, mcp } = callersOf(key);
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const open = async (url: string, headers: Record<string, string>) => {
      const leaving = new AbortController();
      const { status } = await fetch(`${service.demo.baseUrl}${url}`, { headers, signal: leaving.signal });
      leaving.abort();
      return status;
    };
    return {
      rest: (await rest.get('/account/balance')).status,
      graphql: (await graphql.ask('{ account { balance } }')).status,
      mcp: (await mcp.send(message)).status,
      stream: await open('/events', owner.with({ key }).headers),
      token: token === null ? null : await open(`/events?token=${token}`, {}),
    };
  }
  const all = (status: number) => ({ rest: status, graphql: status, mcp: status, stream: status, token: status });

  async function tokenOf(key: string): Promise<string> {
    const { status, body } = await owner.with({ key }).post('/events/token');
    expect(status, body.error ?? '').toBe(200);
    return String(body.data['token']);
  }

  test('ends when the key expires', async () => {
    const key = await keyWith({ expires_at: new Date(Date.now() + 4_000).toISOString() });
    const token = await tokenOf(key);
    expect(await waysWith(key, token)).toEqual(all(200));
    await expect.poll(() => waysWith(key, token), { interval: 500 }).toEqual(all(401));
  });

  test('ends when the key is revoked', async () => {
    const { body } = await owner.post('/account/keys', { name: 'Soon revoked' });
    const { id, key } = body.data as { id: string; key: string };
    const token = await tokenOf(key);
    expect(await waysWith(key, token)).toEqual(all(200));
    expect((await owner.write('DELETE', `/account/keys/${id}`)).status).toBe(200);
    await expect.poll(() => waysWith(key, token), { interval: 500 }).toEqual(all(401));
  });

  test('is closed to other addresses than those of the key', async () => {
    const key = await keyWith({ ip_ranges: ['198.51.100.7'] });
    expect(await waysWith(key, null)).toEqual({ ...all(403), token: null });
  });

  test('counts towards the same calls per minute', async () => {
    const key = await keyWith({ calls_per_minute: 4 });
    expect(await waysWith(key, null)).toEqual({ ...all(200), token: null });
    expect(await waysWith(key, null)).toEqual({ ...all(429), token: null });
  });
});
