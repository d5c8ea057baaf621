// The AT Protocol's own servers (.ci/atproto/network.js) for the scripts, and accounts on them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../.ci/atproto/network.js', import.meta.url));
const settledMs = 60_000;

/** True if `.ci/atproto/install` has installed the servers. */
export function hasAtprotoNetwork() {
  const servers = new URL('../.ci/atproto/node_modules/@atproto/dev-env', import.meta.url);
  return [servers, '/usr/lib/postgresql', '/usr/bin/redis-server'].every((path) => existsSync(path));
}

/** Starts the servers. Returns their addresses, the settings of a gateway that uses them, and `stop`. */
export interface Network {
  pdsUrl: string;
  plcUrl: string;
  appViewUrl: string;
}

export async function startAtprotoNetwork() {
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const addresses = await new Promise<Network>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${errors}`)));
  });
  const { pdsUrl, plcUrl } = addresses;
  const settings = { PLATFORM_KIND: 'atproto', PLATFORM_URL: pdsUrl, ATPROTO_PLC_URL: plcUrl };
  const stop = () => {
    child.stdin.end();
    return ended;
  };
  return { ...addresses, settings, stop };
}

/** Calls an XRPC method of the PDS. */
export async function callPds(
  { pdsUrl }: Pick<Network, 'pdsUrl'>,
  method: string,
  input: object,
  accessJwt?: string,
): Promise<{ did: string; accessJwt: string }> {
  const response = await fetch(`${pdsUrl}/xrpc/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(accessJwt && { authorization: `Bearer ${accessJwt}` }) },
    body: JSON.stringify(input),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method}: ${response.status} ${text}`);
  return JSON.parse(text || '{}');
}

/** Creates an account with a profile and this number of posts, and waits until the AppView shows them. */
export async function joinNetwork(network: Network, name: string, posts = 0) {
  const handle = `${name}.test`;
  const password = `password-of-${name}`;
  const account = { handle, password, email: `${name}@example.org` };
  const { did, accessJwt } = await callPds(network, 'com.atproto.server.createAccount', account);
  const write = (collection: string, record: object, rkey?: string) =>
    callPds(network, 'com.atproto.repo.createRecord', { repo: did, collection, rkey, record }, accessJwt);
  await write('app.bsky.actor.profile', { displayName: name }, 'self');
  for (let i = 1; i <= posts; i++) {
    const createdAt = new Date(Date.now() - 1_000 * (posts - i)).toISOString();
    await write('app.bsky.feed.post', { text: `Post ${i} of ${name}`, createdAt });
  }
  const profile = `${network.appViewUrl}/xrpc/app.bsky.actor.getProfile?actor=${did}`;
  for (const deadline = Date.now() + settledMs; ; await sleep(50)) {
    const shown = (await (await fetch(profile)).json()) as {
      handle?: string;
      displayName?: string;
      postsCount?: number;
    };
    if (shown.handle === handle && shown.displayName === name && (shown.postsCount ?? 0) === posts) break;
    if (Date.now() > deadline) throw new Error(`the AppView does not show ${handle}`);
  }
  return { handle, did, password, accessJwt, authToken: `${handle}:${password}` };
}
