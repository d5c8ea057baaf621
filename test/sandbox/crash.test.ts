import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Account, type Json, request } from './harness.ts';
import { kill, startChild } from './killable.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = join(temporaryFolder(), 'data');
});

describe('kill -9', () => {
  test('at any time loses no acknowledged follow, retweet, bookmark, deletion or added follower', async () => {
    const expected = new Map<string, Json>();
    for (let round = 0; round < repetitions(1, 3); round++) {
      const before = expected.size;
      const { child, url } = await startChild(dataDir);
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
          note(`/2/users/${as.userId}/bookmarks`, { data: [{ id }] });
          await request(url, 'POST', '/control/followers', { body: { userName: as.userName, count: index + 1 } });
          note('/api/me', { user: { counts: { followers: index + 1 } } });
        } catch {
          // The process ended before the response, so nothing was acknowledged.
        }
      });
      await expect.poll(() => expected.size, { interval: 5 }).toBeGreaterThan(before + 10 + round * 20);
      await kill(child);
      await Promise.all(writers);
    }
    const { url } = await startChild(dataDir);
    expect(expected.size).toBeGreaterThan(10);
    for (const [key, holds] of expected) {
      const [authToken = '', path = ''] = key.split(' ');
      const reply = await request(url, 'GET', path, {
        headers: { cookie: `auth_token=${authToken}`, authorization: `Bearer ${authToken}` },
        unchecked: path.startsWith('/2/'),
      });
      expect(reply.body, path).toMatchObject(holds);
    }
  });

  test('at any time loses no acknowledged call, and duplicates no call with a token', async () => {
    const acknowledged = new Map<string, string>();
    const liked = new Set<string>();
    const attempted: string[] = [];
    let refused = 0;
    for (let round = 0; round < repetitions(2, 4); round++) {
      const { child, url } = await startChild(dataDir);
      const [ada] = (await request(url, 'GET', '/control/info')).body.demo.accounts as [Account];
      const post = async (text: string): Promise<string> => {
        const headers = { 'idempotency-token': text };
        const reply = await request(url, 'POST', '/api/tweets', { as: ada, body: { text }, headers });
        refused += reply.status === 201 ? 0 : 1;
        return reply.body.tweet.id;
      };

      // Calls with an unknown outcome are repeated, as a gateway does.
      for (const text of attempted.splice(0)) acknowledged.set(text, await post(text));

      const before = acknowledged.size;
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
      await expect.poll(() => acknowledged.size, { interval: 5 }).toBeGreaterThan(before + 10 + round * 20);
      dying = round % 2 === 0;
      await kill(child);
      await Promise.all(writers);
    }

    const { url } = await startChild(dataDir);
    const { tweets } = (await request(url, 'GET', '/control/tweets')).body;
    const kept = new Map<string, Json>(tweets.map((tweet: Json) => [tweet.text, tweet]));
    expect(acknowledged.size).toBeGreaterThan(20);
    expect(refused).toBe(0);
    expect(kept.size).toBe(tweets.length);
    for (const [text, id] of acknowledged) expect(kept.get(text)?.id).toBe(id);
    for (const tweet of kept.values()) if (liked.has(tweet.id)) expect(tweet.likes).toBe(1);
  });
});
