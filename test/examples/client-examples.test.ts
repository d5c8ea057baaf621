import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DemoAccount } from '../../src/platform/sandbox/demo-dataset.ts';
import { Client } from '../support/client.ts';
import { originOf } from '../support/listen.ts';
import { freePort } from '../support/mongo-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useService } from '../support/use-service.ts';

const examples = fileURLToPath(new URL('../../docs/examples/', import.meta.url));

const { service, sandbox } = await useService();
const makeFolder = () => temporaryFolder(onTestFinished);

/** A program of docs/examples in its own process. */
interface Run {
  child: ChildProcess;
  /** Returns standard output and standard error so far. */
  output(): string;
  /** Resolves with the exit code when the process has ended and its output was read. `null` after SIGKILL. */
  ended: Promise<number | null>;
}

function run(name: string, args: readonly string[], options: { cwd: string; env: Record<string, string> }): Run {
  const env = { PATH: process.env['PATH'], ...options.env };
  const child = spawn(process.execPath, [join(examples, name), ...args], { cwd: options.cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code as number | null) };
}

const environment = (account: DemoAccount | undefined, url = service.demo.baseUrl) => ({
  POSTERN_URL: url,
  POSTERN_API_KEY: service.demo.apiKey,
  POSTERN_AUTH_TOKEN: account?.authToken ?? '',
});

const clientOf = (account: DemoAccount) =>
  new Client({ baseUrl: service.demo.baseUrl, key: service.demo.apiKey, authToken: account.authToken });

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => void handler(request, response).catch(() => response.destroy()));
  return originOf(server);
}

/** Starts a server before the service. `arrived` is called after the service has responded and before the caller gets the response. */
async function startGate(arrived: (request: IncomingMessage) => void): Promise<string> {
  const url = await serve(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const names = ['authorization', 'x-auth-token', 'content-type', 'idempotency-key', 'last-event-id'];
    const headers = names.flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value] as [string, string]] : [];
    });
    const { method = '' } = request;
    const body = method === 'POST' ? Buffer.concat(chunks) : null;
    const answer = await fetch(service.origin + request.url, { method, headers, body });
    arrived(request);
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  return `${url}/v1`;
}

describe('mention-bot', () => {
  const textsOf = async (account: DemoAccount) => {
    const { body } = await clientOf(account).get('/user/tweets_and_replies', { userName: account.userName });
    const tweets = body.data['tweets'] as { text: string; inReplyToId: string | null }[];
    return tweets.map(({ inReplyToId }) => inReplyToId).toSorted();
  };
  const mentionsOf = async (account: DemoAccount) => {
    const { body } = await clientOf(account).get('/user/mentions', { count: '100' });
    return (body.data['tweets'] as { id: string }[]).map(({ id }) => id).toSorted();
  };

  test('replies once to each mention, also when it is killed after a reply and before it knows of it', async () => {
    const account = await sandbox.mint();
    const folder = makeFolder();
    await sandbox.makeEvents({ type: 'mention', userName: account.userName, count: 2 });
    const old = await mentionsOf(account);
    let bot: Run;
    let kills = 0;
    const url = await startGate(({ url: path, method }) => {
      if (path !== '/v1/tweet/create' || method !== 'POST' || kills === 3) return;
      kills += 1;
      bot.child.kill('SIGKILL');
    });
    const start = () =>
      run('mention-bot.js', [], { cwd: folder, env: { ...environment(account, url), POLL_SECONDS: '0.2' } });
    bot = start();
    await expect.poll(() => bot.output()).toContain(`answering mentions of @${account.userName}`);
    await sandbox.makeEvents({ type: 'mention', userName: account.userName, count: 4 });
    for (const killed of [1, 2, 3]) {
      expect(await bot.ended).toBeNull();
      expect(kills).toBe(killed);
      bot = start();
    }
    const mentions = (await mentionsOf(account)).filter((id) => !old.includes(id));
    expect(mentions).toHaveLength(4);
    for (const id of mentions) await expect.poll(() => bot.output()).toContain(`${id} by @`);
    expect(bot.output()).toContain('was answered before');
    expect(await textsOf(account)).toEqual(mentions);
  });

  test('goes on after an error of the platform, and leaves out a mention that was deleted', async () => {
    const account = await sandbox.mint();
    const env = { ...environment(account), POLL_SECONDS: '0.2' };
    const bot = run('mention-bot.js', [], { cwd: makeFolder(), env });
    await expect.poll(() => bot.output()).toContain('answering mentions');
    const author = await sandbox.mint();
    const fault = { kind: 'status', status: 503 };
    await sandbox.setFault({ fault, operation: 'createPosts', actor: account.userId, times: 1_000 });
    const { body } = await clientOf(author).post('/tweet/create', { text: `@${account.userName} Hello` });
    await expect.poll(() => bot.output()).toContain('trying again');
    await clientOf(author).post('/tweet/delete', { tweet_id: body.data['id'] });
    await sandbox.clearFaults();
    await sandbox.makeEvents({ type: 'mention', userName: account.userName });
    await expect.poll(() => bot.output()).toContain('is answered');
    expect(await textsOf(account)).toEqual(await mentionsOf(account));
  });
});

describe('two bots for mentions', () => {
  const start = (account: DemoAccount) =>
    run('mention-bot.js', [], { cwd: makeFolder(), env: { ...environment(account), POLL_SECONDS: '0.2' } });
  const post = async (account: DemoAccount, input: object) => {
    const { body } = await clientOf(account).post('/tweet/create', { ...input });
    return String(body.data['id']);
  };
  const tweetsOf = async (account: DemoAccount) => {
    const { body } = await clientOf(account).get('/user/tweets_and_replies', { userName: account.userName });
    return body.data['tweets'] as unknown[];
  };

  test('end a conversation with each other', async () => {
    const [one, other] = [await sandbox.mint(), await sandbox.mint()];
    const bots = [start(one), start(other)];
    for (const bot of bots) await expect.poll(() => bot.output()).toContain('answering mentions');
    await post(one, { text: `@${other.userName} Hello` });
    await expect.poll(() => bots[1]?.output()).toContain('replies to a reply of this bot');
    expect([(await tweetsOf(one)).length, (await tweetsOf(other)).length]).toEqual([2, 1]);
  });

  test('answer three times in a conversation', async () => {
    const [account, author] = [await sandbox.mint(), await sandbox.mint()];
    const bot = start(account);
    await expect.poll(() => bot.output()).toContain('answering mentions');
    const first = await post(author, { text: `@${account.userName} 1` });
    for (const number of [2, 3, 4])
      await post(author, { text: `@${account.userName} ${number}`, reply_to_tweet_id: first });
    await expect.poll(() => bot.output()).toContain('is in a conversation with 3 replies of this bot');
    expect(await tweetsOf(account)).toHaveLength(3);
  });
});

describe('export-followers', () => {
  test('writes each follower once, also when it is killed in the middle of the list', async () => {
    const [ada] = service.demo.accounts;
    await sandbox.addFollowers('grace', 150);
    const folder = makeFolder();
    let exporting: Run;
    let pages = 0;
    const url = await startGate(({ url: path }) => {
      if (!path?.startsWith('/v1/user/followers')) return;
      pages += 1;
      if (pages === 3) exporting.child.kill('SIGKILL');
    });
    const start = () =>
      run('export-followers.js', ['grace', 'followers.csv'], { cwd: folder, env: environment(ada, url) });
    exporting = start();
    expect(await exporting.ended).toBeNull();
    const part = join(folder, 'followers.csv.part');
    expect(statSync(part).size).toBeGreaterThan(0);
    // A process that is killed may leave rows of a page that it has not completed.
    appendFileSync(part, '99,half,"a row');

    exporting = start();
    expect(await exporting.ended, exporting.output()).toBe(0);
    expect(exporting.output()).toMatch(/^continuing after 200 followers\n300 followers\n/);
    const rows = readFileSync(join(folder, 'followers.csv'), 'utf8').trimEnd().split('\r\n');
    const profile = await clientOf(ada as DemoAccount).get('/user/info', { userName: 'grace' });
    const names = rows.slice(1).map((row) => row.split(',')[1]);
    expect(rows[0]).toBe('id,userName,name,description,followers,following,createdAt');
    expect(names).toHaveLength(profile.body.data['followers'] as number);
    expect(new Set(names).size).toBe(names.length);
    expect(existsSync(part)).toBe(false);

    const again = start();
    expect(await again.ended).not.toBe(0);
    expect(again.output()).toContain('followers.csv exists already');
  });
});

test('timeline-digest writes one article a day', async () => {
  const [ada] = service.demo.accounts;
  const start = async (...args: string[]) => {
    const digest = run('timeline-digest.js', args, { cwd: makeFolder(), env: environment(ada) });
    expect(await digest.ended, digest.output()).toBe(0);
    return digest.output();
  };
  const output = await start('--publish');
  const [, id = ''] = /^published: \S+\/(\d+)\n$/.exec(output) ?? [];
  const article = (await clientOf(ada as DemoAccount).get('/article/detail', { article_id: id })).body.data;
  expect(article['title']).toMatch(/^Digest of \d{4}-\d\d-\d\d$/);
  expect(`${article['content']}`.match(/^## .+ \(@.+\)$/gm)).toHaveLength(10);
  // A draft is another request under the key of the day.
  expect(await start()).toMatch(/^the digest of \S+ was written before\n$/);
});

describe('chat-bridge', () => {
  test('posts each event once, although the chat fails at first, events are sent again and the bridge restarts', async () => {
    const account = await sandbox.mint();
    const folder = makeFolder();
    const posted: string[] = [];
    let refusals = 1;
    const chat = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (refusals > 0) {
        refusals -= 1;
        response.statusCode = 503;
      } else posted.push((JSON.parse(body) as { text: string }).text);
      response.end();
    });
    const port = await freePort();
    const env = { ...environment(account), WEBHOOK_SECRET: 'a-secret-of-at-least-16', CHAT_URL: chat, PORT: `${port}` };
    const start = async () => {
      const bridge = run('chat-bridge.js', [], { cwd: folder, env });
      await expect.poll(() => bridge.output()).toContain('bridging http://localhost');
      return bridge;
    };
    const bridge = await start();
    await sandbox.makeEvents({ type: 'mention', userName: account.userName });
    await sandbox.makeEvents({ type: 'follow', userName: account.userName });
    await expect.poll(() => posted).toHaveLength(2);
    expect(bridge.output()).toContain('the chat responded with 503');
    expect(posted).toEqual(
      expect.arrayContaining([expect.stringContaining('followed you'), expect.stringMatching(/\(@\u200b\w+\): /)]),
    );

    const forged = { 'x-platform-webhooks-signature': 'sha256=AAAA', 'content-type': 'application/json' };
    const hook = await fetch(`http://localhost:${port}/hook`, { method: 'POST', headers: forged, body: '{}' });
    expect(hook.status).toBe(401);

    bridge.child.kill('SIGKILL');
    await bridge.ended;
    await start();
    const client = clientOf(account);
    const { webhooks } = (await client.get('/webhooks', { count: '100' })).body.data;
    const registered = (webhooks as { id: string; url: string }[]).filter(({ url }) => url.includes(`:${port}/`));
    expect(registered).toHaveLength(1);
    const deliveredAt = async () => {
      const { body } = await client.get(`/webhooks/${registered[0]?.id}/deliveries`);
      const deliveries = body.data['deliveries'] as { at: string; outcome: string }[];
      return deliveries.map(({ at, outcome }) => (outcome === 'delivered' ? at : null));
    };
    const before = await deliveredAt();
    expect(before).toHaveLength(2);
    const replay = await client.post('/webhooks/replay', { webhook_id: registered[0]?.id });
    expect(replay.body.data['replayed']).toBe(2);
    const areNew = (times: readonly (string | null)[]) => times.every((at) => at !== null && !before.includes(at));
    await expect.poll(async () => areNew(await deliveredAt())).toBe(true);
    expect(posted).toHaveLength(2);
  });
});
