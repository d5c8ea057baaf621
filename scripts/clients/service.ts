// Starts a service for the clients with free ports, a temporary folder and an account with credit.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AtprotoNetwork, startAtprotoNetwork } from '../../test/support/atproto-network.ts';
import { readDemo } from '../../test/support/demo.ts';
import { makeKeys, type Settings, start, stopAll, temporaryFolder } from '../bench/processes.ts';

interface Platform {
  settings: Settings;
  /** Returns the credentials of the actor, the name of another user with at least ten tweets, and settings of single clients. */
  users: (dataDir: string) => { actor: string; otherUser: string; more?: Settings };
  stop: () => Promise<void>;
}

export const platforms: Record<string, () => Promise<Platform>> = {
  sandbox: async () => ({
    settings: { SANDBOX_PORT: '0' },
    users: (dataDir) => {
      const { accounts, sandboxUrl, listId } = readDemo(dataDir);
      const more = { X_URL: sandboxUrl, X_LIST: listId };
      return { actor: accounts[0].authToken, otherUser: accounts[1].userName, more };
    },
    stop: async () => {},
  }),
  async atproto() {
    const network = await startAtprotoNetwork();
    const actor = await joinNetwork(network, 'ada', 0);
    const other = await joinNetwork(network, 'grace', 12);
    return {
      settings: { PLATFORM_KIND: 'atproto', PLATFORM_URL: network.pdsUrl, ATPROTO_PLC_URL: network.plcUrl },
      users: () => ({ actor: actor.authToken, otherUser: other.handle }),
      stop: () => network.stop(),
    };
  },
};

/** Starts a service. Returns the environment of the clients, a folder for their files, and `stop`. */
export async function startService(platformName: string) {
  const { settings, users, stop } = await (platforms[platformName] ?? missing(platformName))();
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const env = { ...settings, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' };
  const { url } = await start('postern.js', ['serve'], env);
  const [key = ''] = await makeKeys(dataDir, [10]);
  const openApi = join(folder, 'openapi.json');
  writeFileSync(openApi, await (await fetch(`${url}/openapi.json`)).text());
  const { actor, otherUser, more } = users(dataDir);
  return {
    folder,
    async stop() {
      await stopAll();
      await stop();
    },
    env: {
      ...process.env,
      ...more,
      OPENAPI: openApi,
      GRAPHQL_SCHEMA: join(import.meta.dirname, '../../schema/schema.graphql'),
      POSTERN_URL: `${url}/v1`,
      POSTERN_GRAPHQL_URL: `${url}/graphql`,
      POSTERN_KEY: key,
      POSTERN_ACTOR: actor,
      POSTERN_OTHER_USER: otherUser,
    },
  };
}

function missing(name: string): never {
  throw new Error(`there is no platform ${name}: ${Object.keys(platforms).join(', ')}`);
}

/** Creates an account with a profile and this number of posts, and waits until the AppView shows them. */
async function joinNetwork({ pdsUrl, appViewUrl }: AtprotoNetwork, name: string, posts: number) {
  const handle = `${name}.test`;
  const password = `password-of-${name}`;
  const call = async (method: string, input: object, accessJwt?: string) => {
    const response = await fetch(`${pdsUrl}/xrpc/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(accessJwt && { authorization: `Bearer ${accessJwt}` }) },
      body: JSON.stringify(input),
    });
    if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { did: string; accessJwt: string };
  };
  const account = { handle, password, email: `${name}@example.org` };
  const { did, accessJwt } = await call('com.atproto.server.createAccount', account);
  const write = (collection: string, record: object, rkey?: string) =>
    call('com.atproto.repo.createRecord', { repo: did, collection, rkey, record }, accessJwt);
  await write('app.bsky.actor.profile', { displayName: name }, 'self');
  for (let i = 1; i <= posts; i++) {
    const createdAt = new Date(Date.now() - 1_000 * (posts - i)).toISOString();
    await write('app.bsky.feed.post', { text: `Post ${i} of ${name}`, createdAt });
  }
  const profile = `${appViewUrl}/xrpc/app.bsky.actor.getProfile?actor=${did}`;
  for (const deadline = Date.now() + 60_000; ; await sleep(50)) {
    const shown = (await (await fetch(profile)).json()) as { displayName?: string; postsCount?: number };
    if (shown.displayName === name && (shown.postsCount ?? 0) === posts) break;
    if (Date.now() > deadline) throw new Error(`the AppView does not show ${handle}`);
  }
  return { handle, authToken: `${handle}:${password}` };
}
