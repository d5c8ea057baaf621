import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Account, bearer, type Json, request } from './harness.ts';
import { kill, startChild } from './killable.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = join(temporaryFolder(), 'data');
});

describe('kill -9', () => {
  test('at any time loses no acknowledged follow, block, mute, repost, bookmark, deletion or added follower', async () => {
    const expected = new Map<string, Json>();
    for (let round = 0; round < repetitions(1, 3); round++) {
      const before = expected.size;
      const { child, url } = await startChild(dataDir);
      const { accounts } = (await request(url, 'POST', '/control/accounts', { body: { count: 30 } })).body;
      const info = (await request(url, 'GET', '/control/info')).body;
      const [other, grace, linus] = info.demo.accounts as [Account, Account, Account];
      const writers = accounts.map(async (as: Account, index: number) => {
        const write = (method: string, path: string, body?: object, by = as) =>
          request(url, method, path, { headers: bearer(by), body, unchecked: true });
        const note = (path: string, holds: Json) => expected.set(`${as.authToken} ${path}`, holds);
        const mine = `/2/users/${as.userId}`;
        const status = (user: Account) => `/2/users/${user.userId}?user.fields=connection_status`;
        try {
          const text = `Round ${round}, ${index}`;
          const { id } = (await write('POST', '/2/tweets', { text }, grace)).body.data;
          const own = (await write('POST', '/2/tweets', { text })).body.data.id;
          await write('POST', `${mine}/retweets`, { tweet_id: id });
          note(`/2/tweets/${id}?post.fields=public_metrics`, { data: { public_metrics: { repost_count: 1 } } });
          await write('POST', `${mine}/following`, { target_user_id: grace.userId });
          note(status(grace), { data: { connection_status: ['following'] } });
          await write('POST', `${mine}/following`, { target_user_id: linus.userId });
          note(status(linus), { data: { connection_status: ['follow_request_sent'] } });
          await write('DELETE', `/2/tweets/${own}`);
          note(`/2/tweets/${own}`, { errors: [{ reason: 'deleted' }] });
          await write('POST', `${mine}/bookmarks`, { tweet_id: id });
          note(`${mine}/bookmarks`, { data: [{ id }] });
          await write('POST', `${mine}/blocking`, { target_user_id: other.userId });
          await write('POST', `${mine}/muting`, { target_user_id: other.userId });
          note(status(other), { data: { connection_status: ['blocking', 'muting'] } });
          await request(url, 'POST', '/control/followers', { body: { userName: as.userName, count: index + 1 } });
          const followers = { data: { public_metrics: { followers_count: index + 1 } } };
          note(`${mine}?user.fields=public_metrics`, followers);
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
      const reply = await request(url, 'GET', path, { headers: bearer({ authToken }), unchecked: true });
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
        const headers = { ...bearer(ada), 'idempotency-token': text };
        const reply = await request(url, 'POST', '/2/tweets', { body: { text }, headers, unchecked: true });
        refused += reply.status === 201 ? 0 : 1;
        return reply.body.data.id;
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
            const like = { headers: bearer(ada), body: { tweet_id: id }, unchecked: true };
            await request(url, 'POST', `/2/users/${ada.userId}/likes`, like);
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
