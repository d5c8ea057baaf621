import { expect, test } from 'vitest';
import type { Client } from '../../support/client.ts';
import { useService } from '../../support/use-service.ts';

const { sandbox, ada } = await useService({ RATE_LIMIT: '0' });
const { userName, authToken } = await sandbox.mint();
const [owen, ruth] = [ada.with({ authToken }), ada.with(await sandbox.mint())];

const post = async (who: Client, text: string) => String((await who.post('/tweet/create', { text })).body.data['id']);

/** Reads the ids of the timeline page by page. */
async function timeline(count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of ruth.pages('/user/tweets_and_replies', { userName, count: String(count) }))
    ids.push(...(page['tweets'] as { id: string }[]).map(({ id }) => id));
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
  const { data } = (await ruth.get('/user/tweets_and_replies', { userName, count: '1' })).body;
  expect(data).toMatchObject({ tweets: [{ id: late, text: 'After all of it', retweetCount: 1 }] });

  await ruth.post('/tweet/delete', { tweet_id: gone });
  await owen.post('/tweet/unretweet', { tweet_id: late });
  expect(await timeline(1)).toEqual([second, early, first]);
  await owen.post('/tweet/unretweet', { tweet_id: early });
  await owen.post('/tweet/retweet', { tweet_id: early });
  expect(await timeline(1)).toEqual([early, second, first]);
});
