import { afterAll, expect, test } from 'vitest';
import { Client } from '../../support/client.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService } from '../../support/service.ts';

const service = await startService({ RATE_LIMIT: '0' });
const sandbox = new SandboxControl(service.demo.sandboxUrl);
const { key } = await service.makeAccount('10');
const client = new Client({ baseUrl: service.demo.baseUrl, key });
const [first, second] = [await sandbox.mint(), await sandbox.mint()];
const owenName = first.userName;
const [owen, ruth] = [client.with({ authToken: first.authToken }), client.with({ authToken: second.authToken })];
afterAll(() => service.stop());

const post = async (who: Client, text: string) => String((await who.post('/tweet/create', { text })).body.data['id']);

/** Reads the ids of the timeline page by page. */
async function timeline(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = null, pages = 0; pages < 20; pages++) {
    const query: Record<string, string> = { userName: owenName, count: String(count), ...(cursor && { cursor }) };
    const { data } = (await ruth.get('/user/tweets_and_replies', query)).body;
    ids.push(...(data['tweets'] as { id: string }[]).map(({ id }) => id));
    cursor = data['next_cursor'] as string | null;
    if (cursor === null) break;
  }
  return ids;
}

test('a retweet appears in the timeline of the retweeter, at the time of the retweet', async () => {
  const early = await post(ruth, 'Before all of it');
  const gone = await post(ruth, 'Soon deleted');
  const first = await post(owen, 'One of my own');
  await owen.post('/tweet/retweet', { tweet_id: early });
  const second = await post(owen, 'Another one');
  await owen.post('/tweet/retweet', { tweet_id: gone });
  await owen.post('/tweet/retweet', { tweet_id: first });
  const late = await post(ruth, 'After all of it');
  await owen.post('/tweet/retweet', { tweet_id: late });

  const all = [late, gone, second, early, first];
  for (const count of [1, 2, 100]) expect(await timeline(count), `${count} a page`).toEqual(all);
  const { data } = (await ruth.get('/user/tweets_and_replies', { userName: owenName, count: '1' })).body;
  expect(data).toMatchObject({ tweets: [{ id: late, text: 'After all of it', retweetCount: 1 }] });

  await ruth.post('/tweet/delete', { tweet_id: gone });
  await owen.post('/tweet/unretweet', { tweet_id: late });
  expect(await timeline(1)).toEqual([second, early, first]);
  await owen.post('/tweet/unretweet', { tweet_id: early });
  await owen.post('/tweet/retweet', { tweet_id: early });
  expect(await timeline(1)).toEqual([early, second, first]);
});
