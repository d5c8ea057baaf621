import { expect, test } from 'vitest';
import { examplePng } from '../../../src/media/media-input.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { did, json, loopback, start } from './fake-servers.ts';

const cid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a';

/** Starts servers that keep the records that they are asked to create. */
async function startWithRecords() {
  const servers = await start(loopback);
  const records: Record<string, unknown>[] = [];
  servers.pds.routes['com.atproto.repo.createRecord'] = (request, response) => {
    request.on('data', (chunk) => {
      records.push(JSON.parse(String(chunk)).record);
      json({ uri: `at://${did}/app.bsky.feed.post/3m5zjuyswn22a`, cid })(request, response);
    });
  };
  const blob = { $type: 'blob', ref: { $link: cid }, mimeType: 'image/png', size: 100 };
  servers.pds.routes['com.atproto.repo.uploadBlob'] = json({ blob });
  const upload = async () => {
    const { body } = await servers.client.post('/media/upload', { media_data: examplePng, media_type: 'image/png' });
    return String(body.data['media_id']);
  };
  return { ...servers, records, upload };
}

test('a post has the alt texts and languages of the request, over REST and GraphQL', async () => {
  const { client, records, upload } = await startWithRecords();
  const { baseUrl, key, authToken } = client.options;
  const ids = [await upload(), await upload()];
  const langs = ['en', 'pt-BR'];
  const alts = ['A loom beside a window'];
  const input = { text: 'Um tear', media_ids: ids, media_alt_texts: alts, langs };
  expect((await client.post('/tweet/create', input)).body.error).toBeNull();
  const query = 'mutation ($input: CreateTweetInput!) { createTweet(input: $input) { __typename } }';
  const response = await fetch(baseUrl.replace('/v1', '/graphql'), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-auth-token': authToken ?? '', 'content-type': 'application/json' },
    body: JSON.stringify({
      query,
      variables: { input: { text: input.text, mediaIds: ids, mediaAltTexts: alts, langs } },
    }),
  });
  expect(await response.json()).not.toHaveProperty('errors');
  expect(records).toHaveLength(2);
  for (const record of records) {
    expect(record).toMatchObject({ langs, embed: { images: [{ alt: alts[0] }, { alt: '' }] } });
  }
});

test('a post without languages and alternative texts has none', async () => {
  const { client, records } = await startWithRecords();
  const input = { text: 'A loom', media_alt_texts: [null], langs: null };
  expect((await client.post('/tweet/create', input)).status).toBe(200);
  expect(records[0]).not.toHaveProperty('langs');
});

test.each([
  [{ media_alt_texts: ['A loom'] }, 'media_alt_texts: has more texts than there is media'],
  [{ media_ids: ['1'], media_alt_texts: ['x'.repeat(2_001)] }, 'media_alt_texts[0]: must be at most 2000 characters'],
  [{ langs: ['en', 'pt', 'de', 'fr'] }, 'langs: names more than three languages'],
  [{ langs: ['English'] }, 'langs[0]: must be a language, such as en or pt-BR'],
])('wrong alt texts and languages are refused: %o', async (input, problem) => {
  const { client } = await start(loopback);
  expectRefusal(await client.post('/tweet/create', { text: 'A loom', ...input }), 400, `Malformed field: ${problem}`);
});
