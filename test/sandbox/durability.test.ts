import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Account, type Json, openSandbox, request } from './harness.ts';

let root: string;
let dataDir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sandbox-'));
  dataDir = join(root, 'data');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const DAY_MS = 86_400_000;

describe('what was acknowledged is there after a restart', () => {
  it('tweets, likes, accounts, and the epoch with all ids of the seed', async () => {
    let clock = Date.UTC(2026, 0, 1, 12, 0, 42);
    const first = await openSandbox({ dataDir, now: () => clock });
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    const seeded = (await first.search({ q: 'from:grace' })).body.tweets[0].id;
    const account = await first.mint({ userName: 'Survivor', premium: true });
    const original = (await first.tweet('Still here?', account)).body.tweet;
    const reply = (await first.tweet('Of course', first.grace, { reply_to_id: original.id })).body.tweet;
    const quote = (await first.tweet('See', first.ada, { quote_of_id: seeded })).body.tweet;
    await first.call('PUT', `/api/tweets/${original.id}/like`, { as: first.grace });
    await first.call('PUT', `/api/tweets/${original.id}/like`, { as: first.ada });
    await first.call('DELETE', `/api/tweets/${original.id}/like`, { as: first.ada });
    await first.close();

    clock += 3 * DAY_MS;
    const second = await openSandbox({ dataDir, now: () => clock });
    expect(second.info.demo).toEqual(first.info.demo);
    const found = (await second.get(`/api/tweets/${original.id}`, account)).body.tweet;
    expect(found).toMatchObject({
      text: 'Still here?',
      counts: { likes: 1, replies: 1 },
      created_at: original.created_at,
    });
    expect((await second.get(`/api/tweets/${reply.id}`)).body.tweet.conversation_id).toBe(original.id);
    expect((await second.get(`/api/tweets/${quote.id}`)).body.tweet.quoted.id).toBe(seeded);
    expect((await second.get(`/api/tweets/${original.id}`, second.grace)).body.tweet.viewer.liked).toBe(true);
    await second.close();
  });

  it('follows, requests, retweets, bookmarks and deletions', async () => {
    const first = await openSandbox({ dataDir });
    const { ada, grace, linus } = first;
    const [one, two, three] = (await first.search({ q: 'from:grace', count: 3 })).body.tweets.map(({ id }: Json) => id);
    const put = (path: string, as = ada) => first.call('PUT', `/api/${path}`, { as });
    const take = (path: string, as = ada) => first.call('DELETE', `/api/${path}`, { as });
    const shy = await first.mint({ protected: true });
    await put(`users/${linus.userId}/follow`);
    await put(`users/${shy.userId}/follow`);
    await first.control('follow-requests/accept', { target: shy.userId, follower: ada.userId });
    await put(`users/${shy.userId}/follow`, grace);
    await take(`users/${shy.userId}/follow`, grace);
    await take('users/by/grace/follow');
    await put(`tweets/${one}/retweet`);
    await put(`tweets/${two}/bookmark`);
    await put(`tweets/${one}/bookmark`);
    await put(`tweets/${three}/retweet`);
    await take(`tweets/${three}/retweet`);
    await take(`tweets/${three}`, grace);
    const view = async (sandbox: typeof first) => {
      const paths = ['users/by/linus', 'users/by/grace', `users/${shy.userId}`, 'users/by/grace/followers?count=100'];
      const all = [...paths, `tweets/${one}`, `tweets/${two}`, `tweets/${three}`, 'bookmarks', 'me'];
      const bodies = await Promise.all(all.map(async (path) => (await sandbox.get(`/api/${path}`)).body));
      return JSON.parse(JSON.stringify(bodies).replaceAll(sandbox.url, ''));
    };
    const before = await view(first);
    const { next_cursor: cursor } = (await first.get('/api/bookmarks?count=1')).body;
    await first.close();

    const second = await openSandbox({ dataDir });
    expect(await view(second)).toEqual(before);
    const [linusNow, graceNow, shyNow] = before;
    expect(linusNow.user.viewer).toMatchObject({ following: false, follow_requested: true });
    expect(graceNow.user.viewer.following).toBe(false);
    expect([shyNow.user.viewer.following, shyNow.user.counts.followers]).toEqual([true, 1]);
    const rest = (await second.get(`/api/bookmarks?cursor=${cursor}`)).body.tweets;
    expect(rest.map(({ id }: Json) => id)).toEqual([two]);
    expect((await second.get(`/api/tweets/${three}`)).body.problem.code).toBe('tweet_deleted');

    // A position in a world that was reset means nothing in the next one, after a restart either.
    await second.control('reset');
    expect((await second.get(`/api/bookmarks?cursor=${cursor}`)).body.problem.code).toBe('bad_cursor');
    expect((await second.get('/api/bookmarks')).body.tweets).toEqual([]);
    const fresh = (await second.search({ q: 'from:grace', count: 3 })).body.next_cursor;
    await second.close();
    const third = await openSandbox({ dataDir });
    expect((await third.get(`/api/bookmarks?cursor=${cursor}`)).body.problem.code).toBe('bad_cursor');
    expect((await third.search({ q: 'from:grace', count: 3, cursor: fresh })).status).toBe(200);
    await third.close();
  });

  it('idempotency tokens and the duplicate check', async () => {
    const token = { 'idempotency-token': 'across' };
    const first = await openSandbox({ dataDir });
    const { id } = (await first.tweet('Once over restarts', first.ada, {}, token)).body.tweet;
    await first.close();
    const second = await openSandbox({ dataDir });
    const again = await second.tweet('Once over restarts', second.ada, {}, token);
    expect([again.status, again.body.tweet.id, again.headers.get('idempotent-replayed')]).toEqual([201, id, 'true']);
    expect((await second.tweet('Other', second.ada, {}, token)).status).toBe(409);
    expect((await second.tweet('Once over restarts')).body.problem.code).toBe('duplicate_tweet');
    await second.close();
  });

  it('a reset, and what came after it', async () => {
    const first = await openSandbox({ dataDir });
    const lost = await first.mint();
    await first.tweet('Before the reset');
    await first.control('reset');
    await first.tweet('After the reset');
    await first.close();
    const second = await openSandbox({ dataDir });
    const texts = (await second.call('GET', '/control/tweets')).body.tweets.map((tweet: Json) => tweet.text);
    expect(texts).toEqual(['After the reset']);
    expect((await second.get('/api/me', lost)).status).toBe(401);
    await second.close();
  });

  it('nothing, where it was told to keep nothing', async () => {
    const sandbox = await openSandbox();
    expect((await sandbox.tweet('Ephemeral')).status).toBe(201);
    await sandbox.close();
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('a file is refused', () => {
  it('that a newer version wrote', async () => {
    await (await openSandbox({ dataDir })).close();
    const db = new Database(join(dataDir, 'sandbox.sqlite'));
    db.exec('PRAGMA user_version = 9');
    db.close();
    await expect(openSandbox({ dataDir })).rejects.toThrow('written by a newer version (format 9');
  });

  it('that has an entry of a newer version', async () => {
    await (await openSandbox({ dataDir })).close();
    const db = new Database(join(dataDir, 'sandbox.sqlite'));
    db.prepare('INSERT INTO journal (v, entry) VALUES (9, ?)').run('{"kind":"poem"}');
    db.close();
    await expect(openSandbox({ dataDir })).rejects.toThrow('an entry of a newer version (9)');
  });

  it('of another seed', async () => {
    await (await openSandbox({ dataDir })).close();
    await expect(openSandbox({ dataDir, seed: 'other' })).rejects.toThrow('holds the world of seed "postern"');
  });

  it('in a folder that another sandbox uses', async () => {
    const first = await openSandbox({ dataDir });
    await expect(openSandbox({ dataDir })).rejects.toThrow('another sandbox uses this folder');
    await first.close();
  });
});

const children: ChildProcess[] = [];
afterEach(() => Promise.all(children.splice(0).map(kill)));

const childFile = fileURLToPath(new URL('./crash-child.mjs', import.meta.url));

function startChild(): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(childFile, [dataDir]);
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once('message', (message: { url: string }) => resolve({ child, url: message.url }));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)));
  });
}

function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.removeAllListeners('exit');
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

describe('kill -9', () => {
  it('at any moment loses no follow, retweet, bookmark or deletion that was acknowledged', async () => {
    const expected = new Map<string, Json>();
    for (let round = 0; round < 4; round++) {
      const { child, url } = await startChild();
      const { accounts } = (await request(url, 'POST', '/control/accounts', { body: { count: 30 } })).body;
      const [, grace] = (await request(url, 'GET', '/control/info')).body.demo.accounts as [Account, Account];
      const writers = accounts.map(async (as: Account, index: number) => {
        const write = (method: string, path: string) => request(url, method, path, { as });
        const note = (path: string, holds: Json) => expected.set(`${as.authToken} ${path}`, holds);
        try {
          const body = { text: `Round ${round}, ${index}` };
          const { id } = (await request(url, 'POST', '/api/tweets', { as: grace, body })).body.tweet;
          const own = (await request(url, 'POST', '/api/tweets', { as, body })).body.tweet.id;
          await write('PUT', `/api/tweets/${id}/retweet`);
          note(`/api/tweets/${id}`, { tweet: { counts: { retweets: 1 }, viewer: { retweeted: true } } });
          await write('PUT', `/api/users/${grace.userId}/follow`);
          note(`/api/users/${grace.userId}`, { user: { viewer: { following: true } } });
          await write('PUT', '/api/users/by/linus/follow');
          note('/api/users/by/linus', { user: { viewer: { follow_requested: true } } });
          await write('DELETE', `/api/tweets/${own}`);
          note(`/api/tweets/${own}`, { problem: { code: 'tweet_deleted' } });
          await write('PUT', `/api/tweets/${id}/bookmark`);
          note('/api/bookmarks', { tweets: [{ id }] });
        } catch {
          // The end came before the answer: nothing was promised.
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 60 + round * 60));
      await kill(child);
      await Promise.all(writers);
    }
    const { child, url } = await startChild();
    expect(expected.size).toBeGreaterThan(40);
    for (const [key, holds] of expected) {
      const [authToken = '', path = ''] = key.split(' ');
      const reply = await request(url, 'GET', path, { headers: { cookie: `auth_token=${authToken}` } });
      expect(reply.body, path).toMatchObject(holds);
    }
    await kill(child);
  });

  it('at any moment loses nothing that was acknowledged, and doubles nothing that carried a token', async () => {
    const acknowledged = new Map<string, string>();
    const liked = new Set<string>();
    const attempted: string[] = [];
    let refused = 0;
    for (let round = 0; round < 6; round++) {
      const { child, url } = await startChild();
      const [ada] = (await request(url, 'GET', '/control/info')).body.demo.accounts as [Account];
      const post = async (text: string): Promise<string> => {
        const headers = { 'idempotency-token': text };
        const reply = await request(url, 'POST', '/api/tweets', { as: ada, body: { text }, headers });
        refused += reply.status === 201 ? 0 : 1;
        return reply.body.tweet.id;
      };

      // What the last process may or may not have done is asked for again, as a gateway would.
      for (const text of attempted.splice(0)) acknowledged.set(text, await post(text));

      let dying = false;
      const writers = Array.from({ length: 6 }, async (_, writer) => {
        for (let number = 0; !dying; number++) {
          const text = `Round ${round}, writer ${writer}, number ${number}`;
          try {
            const id = await post(text);
            acknowledged.set(text, id);
            if (number % 3 !== 0) continue;
            await request(url, 'PUT', `/api/tweets/${id}/like`, { as: ada });
            liked.add(id);
          } catch {
            if (!acknowledged.has(text)) attempted.push(text);
            return;
          }
        }
      });
      await new Promise((resolve) => setTimeout(resolve, 40 + round * 45));
      dying = round % 2 === 0;
      await kill(child);
      await Promise.all(writers);
    }

    const { child, url } = await startChild();
    const { tweets } = (await request(url, 'GET', '/control/tweets')).body;
    const kept = new Map<string, Json>(tweets.map((tweet: Json) => [tweet.text, tweet]));
    expect(acknowledged.size).toBeGreaterThan(20);
    expect(refused).toBe(0);
    expect(kept.size).toBe(tweets.length);
    for (const [text, id] of acknowledged) expect(kept.get(text)?.id).toBe(id);
    for (const tweet of kept.values()) if (liked.has(tweet.id)) expect(tweet.likes).toBe(1);
    await kill(child);
  });
});
