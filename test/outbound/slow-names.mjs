// The program of slow-names.test.ts, which runs it in a network of its own. Prints as JSON what other callers get while an account has two
// requests in flight whose names never resolve.
import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startNameServer } from '../support/name-server.mjs';

const command = fileURLToPath(new URL('../../scripts/postern.js', import.meta.url));
const folder = process.argv[2];
const secret = 'a-secret-of-at-least-16';
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const names = await startNameServer(
  (name) => (name.endsWith('.slow.test') ? null : { addresses: ['127.0.0.1'], ttl: 0 }),
  { port: 53 },
);
const sandbox = await start(['sandbox'], { DATA_DIR: join(folder, 'sandbox'), SANDBOX_PORT: '0' });
// Closes each connection, so that the gateway resolves the name of the platform for each call. The sandbox accepts loopback names only.
const platform = await listen((call, response) => {
  const { port, host } = new URL(sandbox);
  const headers = { ...call.headers, host };
  const forwarded = request({ port, path: call.url, method: call.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, { ...answer.headers, connection: 'close' });
    answer.pipe(response);
  });
  call.pipe(forwarded);
});
const media = await listen((_call, response) => response.setHeader('content-type', 'image/png').end(png));
const receiver = await listen((call, response) => {
  const token = new URL(call.url, 'http://receiver').searchParams.get('crc_token');
  const signed = `sha256=${createHmac('sha256', secret)
    .update(token ?? '')
    .digest('base64')}`;
  response.setHeader('connection', 'close').end(JSON.stringify({ response_token: signed }));
});
const gateway = await start(['serve'], {
  DATA_DIR: folder,
  PORT: '0',
  PLATFORM_KIND: 'sandbox',
  PLATFORM_URL: `http://platform.test:${platform}`,
  OUTBOUND_ALLOW: '127.0.0.0/8',
  ALLOW_LOCALHOST_WEBHOOKS: '1',
});
const { accounts } = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
const [attacker, other] = [makeKey('0.002'), makeKey('1')];
const upload = (key, url) => send(key, 'POST', '/v1/media/upload', { media_url: url });
const url = `http://localhost:${receiver}/hook`;
const webhook = (await send(other, 'POST', '/v1/webhooks', { url, secret })).data.id;

let isOver = false;
const attack = [0, 1].map(async (lane) => {
  for (let i = 0; !isOver; i++) await upload(attacker, `http://lane${lane}-${i}.slow.test/a.png`);
});
// libuv's pool has four threads.
while (new Set(names.asked.filter((name) => name.includes('.slow.')).map((name) => name.split(' ')[0])).size < 4) {
  await sleep(20);
}
const uploads = [1, 2, 3].map((i) => upload(other, `http://media${i}.test:${media}/a.png`));
const reads = Array.from({ length: 8 }, () => send(other, 'GET', '/v1/user/info?userName=grace'));
const delivery = send(other, 'POST', `/v1/webhooks/${webhook}/test`, {});
const ready = send(other, 'GET', '/readyz');
const results = {
  uploads: (await Promise.all(uploads)).map(({ status }) => status),
  reads: (await Promise.all(reads)).map(({ status }) => status),
  delivered: (await delivery).data?.delivered,
  ready: (await ready).status,
};
isOver = true;
await Promise.all(attack);
process.stdout.write(JSON.stringify(results), () => process.exit());

async function start(args, env) {
  const settings = {
    MAX_EVENT_LOOP_DELAY_MS: '600000',
    MAX_REQUESTS_IN_FLIGHT: '100000',
    MAX_CONCURRENT_REQUESTS: '0',
    RATE_LIMIT: '0',
    SANDBOX_ACTIVITY: '0',
    LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, [command, ...args], {
    env: { PATH: process.env.PATH, ...settings, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    const origin = /listening on (http:\S+)/.exec(output)?.[1];
    if (!origin) continue;
    child.stdout.resume();
    return origin;
  }
  throw new Error(`postern ${args} ended: ${output}`);
}

async function listen(handle) {
  const server = createServer(handle).listen(0, 'localhost');
  await once(server, 'listening');
  return server.address().port;
}

function makeKey(credits) {
  const run = (...args) =>
    JSON.parse(
      execFileSync(process.execPath, [command, ...args, '--json'], { env: { ...process.env, DATA_DIR: folder } }),
    );
  const { id } = run('account', 'create', '--name', 'Test', '--credits', credits);
  return run('key', 'create', '--account', id).key;
}

async function send(key, method, path, body) {
  const headers = {
    authorization: `Bearer ${key}`,
    'x-auth-token': accounts[0].authToken,
    ...(body && { 'content-type': 'application/json' }),
  };
  const response = await fetch(gateway + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const { data } = await response.json();
  return { status: response.status, data };
}
