import { encodeGlobalID } from '@pothos/plugin-relay';
import { afterAll, describe, expect, test } from 'vitest';
import type { Action } from '../../src/actions/action.ts';
import { actions } from '../../src/actions/registry.ts';
import { tools } from '../../src/mcp/tools.ts';
import { rows, variablesOf } from '../api/graphql/parity-rows.ts';
import { GraphqlClient } from '../support/graphql.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { register, startWebhookFixture } from '../webhooks/fixture.ts';
import { McpCaller } from './mcp-caller.ts';

// The service loads it at the first request (test/support/service.ts).
import '../../src/api/mcp/http.ts';

/** Fields that name something of an API account. Fields of the platform's objects are checked by the platform. */
const ownedFields = ['id', 'webhook_id', 'event_id'];

const targets = actions.filter(
  ({ name, input }) =>
    /^(webhooks|account|connections)\//.test(name) && ownedFields.some((field) => field in input.shape),
);

const fixture = await startWebhookFixture();
const receiver = await fixture.receiver();
const { account, client } = await fixture.actor();
const owner = client;
const { id: webhook } = await register(owner, { url: receiver.url });
const key = (await owner.post('/account/keys', { name: 'Second' })).body.data;
await fixture.happen(account);
await until(() => expect(receiver.deliveries).toHaveLength(1));
const event = String(receiver.deliveries[0]?.headers['webhook-id']);
await until(async () => expect((await owner.get(`/webhooks/${webhook}`)).body.data['last_delivery_at']).not.toBeNull());
const connection = String((await owner.post('/connections')).body.data['id']);
const ids = { webhook, event, connection, key: String(key['id']) };
// The stranger acts as the same platform account, so only the API accounts differ.
const { key: strangersKey } = await fixture.service.makeAccount('10');
const stranger = owner.with({ key: strangersKey });
const strangersWebhook = (await register(stranger, { url: `${receiver.url}?stranger` })).id;
const credentials = { key: strangersKey, authToken: account.authToken };
const graphql = new GraphqlClient({ url: fixture.service.demo.graphqlUrl, ...credentials });
const mcp = new McpCaller(`${fixture.service.origin}/mcp?policy=destructive`, credentials);
afterAll(() => fixture.stop());

/** The input with which the owner could call an action. */
function inputOf({ name, input }: Action): Record<string, unknown> {
  const given = {
    id: name.startsWith('account/keys/') ? ids.key : name.startsWith('connections/') ? ids.connection : ids.webhook,
    webhook_id: ids.webhook,
    event_id: ids.event,
    ...(name === 'webhooks/update' && { paused: true }),
  };
  return Object.fromEntries(Object.entries(given).filter(([field]) => field in input.shape));
}

/** Returns everything of the owner that a call could change. */
async function stateOfOwner() {
  const read = owner.with({ authToken: '' });
  const { data: webhook } = (await read.get(`/webhooks/${ids.webhook}`)).body;
  const { data: keys } = (await read.get('/account/keys')).body;
  const { data: connection } = (await read.get(`/connections/${ids.connection}`)).body;
  const { data: deliveries } = (await read.get(`/webhooks/${ids.webhook}/deliveries`)).body;
  const requests = receiver.requests.filter(({ url }) => !url.includes('stranger')).length;
  // The time of the last use changes with each call of the owner.
  const api_keys = (keys['api_keys'] as { last_used_at: unknown }[]).map(({ last_used_at: _, ...key }) => key);
  return { webhook, api_keys, connection, deliveries, requests };
}

async function unchanged(attack: () => Promise<void>): Promise<void> {
  const [before, credit] = [await stateOfOwner(), await restingBalance(stranger)];
  await attack();
  expect(await stateOfOwner()).toEqual(before);
  expect(await restingBalance(stranger)).toBe(credit);
}

describe('the ids of another API account', () => {
  test('are all tried here', () => {
    expect(targets.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'webhooks/rotate-secret',
        'webhooks/resend',
        'webhooks/replay',
        'account/keys/revoke',
        'connections/delete',
      ]),
    );
  });

  test.each(targets.map((action) => [action.name, action] as const))('are unknown to %s over REST', (_name, action) =>
    unchanged(async () => {
      expectRefusal(await stranger.with({ authToken: '' }).call(action, inputOf(action)), 404);
    }),
  );

  test.each(targets.map((action) => [action.name, action] as const))('are unknown to %s over GraphQL', (name, action) =>
    unchanged(async () => {
      const row = rows[name];
      if (row === undefined) throw new Error(`${name} has no row`);
      const { data, errors } = await graphql.ask(row.document, variablesOf(name, inputOf(action)));
      expect(Object.values(data as object)).toEqual([null]);
      expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND', status: 404 } }]);
    }),
  );

  test.each(
    tools.filter(({ action }) => targets.includes(action)).map((tool) => [tool.definition.name, tool.action] as const),
  )('are unknown to the tool %s', (name, action) =>
    unchanged(async () => {
      const { isError, structured } = await mcp.call(name, inputOf(action));
      expect(isError).toBe(true);
      expect(structured['error']).toMatchObject({ code: 'not_found' });
    }),
  );

  test('are unknown to `node` and `nodes` of GraphQL', () =>
    unchanged(async () => {
      for (const id of [encodeGlobalID('Webhook', ids.webhook), encodeGlobalID('PlatformLogin', ids.connection)]) {
        const { data } = await graphql.ask('query ($id: ID!) { node(id: $id) { id } nodes(ids: [$id]) { id } }', {
          id,
        });
        expect(data).toEqual({ node: null, nodes: [null] });
      }
    }));

  test('are unknown behind an own webhook', () =>
    unchanged(async () => {
      const path = `/webhooks/${strangersWebhook}/deliveries/${ids.event}`;
      expectRefusal(await stranger.with({ authToken: '' }).get(path), 404);
      expectRefusal(await stranger.with({ authToken: '' }).post(`${path}/resend`), 404);
    }));

  test('are unknown to a live stream of the same actor, which begins with a gap', async () => {
    const leaving = new AbortController();
    const response = await fetch(`${stranger.options.baseUrl}/events`, {
      signal: leaving.signal,
      headers: { ...stranger.headers, 'last-event-id': ids.event },
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('event: ')) text += (await reader?.read())?.value ?? '';
    leaving.abort();
    expect(text).toMatch(/^: open\n\n(?:: \n\n)*(?:id: \S+\n)?event: gap\n/);
    expect(text).not.toContain('user.follow');
  });
});

describe('a cursor of another API account', () => {
  test('is refused by every list of an account', async () => {
    await register(owner, { url: `${receiver.url}?second` });
    await owner.post('/account/keys', { name: 'Third' });
    await owner.post('/connections');
    for (const path of ['/webhooks', '/connections', '/account/audit']) {
      const { data } = (await owner.with({ authToken: '' }).get(path, { count: '1' })).body;
      const cursor = String(data['next_cursor']);
      expect(cursor, path).not.toBe('null');
      const lists = stranger.with({ authToken: '' });
      expectRefusal(await lists.get(path, { count: '1', cursor }), 400, /cursor/);
    }
  });
});
