import { beforeEach, describe, expect, test } from 'vitest';
import { actions, streams } from '../../../src/actions/registry.ts';
import { AccountAdmin } from '../../../src/billing/account-admin.ts';
import { atprotoCapabilities } from '../../../src/platform/atproto/capabilities.ts';
import { encodeRecordUri } from '../../../src/platform/atproto/identifiers.ts';
import type { PlatformCapabilities } from '../../../src/platform/capabilities.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { did, loopback, start } from './fake-servers.ts';

const { unsupported }: PlatformCapabilities = atprotoCapabilities;
const onPlatform = [...actions, ...streams].filter(({ actor }) => actor);

let servers: Awaited<ReturnType<typeof start>>;
beforeEach(async () => {
  servers = await start({ ...loopback, ALLOW_LOCALHOST_WEBHOOKS: '1' });
});

describe('the AT Protocol adapter', () => {
  test('refuses unsupported actions with 501 before 402, over REST, GraphQL and MCP', async () => {
    const { client, store } = servers;
    const admin = new AccountAdmin(store, systemRuntime);
    const { key } = await admin.createKey(await admin.createAccount('Poor', 0), 'Key');
    const poor = client.with({ key: key.expose() });
    expectRefusal(await poor.get('/tweet/replies', { tweet_id: aPost }), 402, /./);
    expectRefusal(await poor.get('/dm/list'), 501, /^Not supported by this platform: dm\/list/);

    const post = async (path: string, body: object) => {
      const headers = {
        authorization: `Bearer ${key.expose()}`,
        'x-auth-token': 'alice.test:pass-word',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const address = new URL(path, client.options.baseUrl);
      return (await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    };
    expect(await post('/graphql', { query: '{ conversations(first: 1) { nodes { id } } }' })).toContain('"status":501');
    expect(await post('/graphql', { query: '{ bookmarks(first: 1) { nodes { id } } }' })).toContain('"status":402');
    const params = { name: 'dm_list', arguments: {} };
    const called = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    expect(called).toContain('Not supported by this platform: dm/list');
  });

  test('sends all other actions that cost something to the platform', async () => {
    const { client, pds } = servers;
    for (const action of onPlatform.filter(({ name, price }) => unsupported[name] === undefined && price > 0)) {
      const before = pds.seen.length;
      const answer = await client.call(action, realized(action.example));
      expect(answer.status, action.name).not.toBe(501);
      expect(pds.seen.length, action.name).toBeGreaterThan(before);
    }
  });
});

const aPost = encodeRecordUri(`at://${did}/app.bsky.feed.post/3m5zjuyswn22a`)?.id ?? '';
/** Values that exist on the AT Protocol, for the fields of the examples, whose values are those of the sandbox. */
const realOnes: Readonly<Record<string, string>> = {
  tweet_id: aPost,
  ids: aPost,
  userNames: 'alice.test',
  article_id: aPost,
  listId: aPost,
  userName: 'alice.test',
  username: 'alice.test',
  user_name: 'alice.test',
  q: 'loom',
};

function realized(example: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(example).map(([field, value]) => [field, realOnes[field] ?? value]));
}
