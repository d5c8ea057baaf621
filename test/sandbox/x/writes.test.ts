import { expect, test } from 'vitest';
import { differencesFromX } from '../../support/x-document.ts';
import { type Account, openSandbox } from '../harness.ts';

const sandbox = await openSandbox();
const { ada, grace } = sandbox;
const posted = await sandbox.tweet('To be written about', grace);
const { id: tweet_id } = posted.body.data;
const target_user_id = (await sandbox.mint()).userId;
const mine = `/2/users/${ada.userId}`;

/** Sends a write without the extensions. Request and answer are checked against X's document, which lacks most problems. */
async function send(method: string, path: string, body?: object, as: Account = ada) {
  const type = body && 'application/json';
  const headers = { authorization: `Bearer ${as.authToken}`, ...(type && { 'content-type': type }) };
  const response = await fetch(sandbox.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const { status } = response;
  const answer = { status, type: response.headers.get('content-type') ?? '', body: await response.json() };
  const checked = response.ok ? answer : undefined;
  expect(differencesFromX({ method, url: path, type, body }, checked), path).toEqual([]);
  return answer;
}

test.each([
  ['likes', { liked: true }, { liked: false }],
  ['bookmarks', { bookmarked: true }, { bookmarked: false }],
  ['retweets', { retweeted: true, rest_id: expect.any(String) }, { retweeted: false }],
  ['following', { following: true, pending_follow: false }, { following: false }],
  ['blocking', { blocking: true }, { blocking: false }],
  ['muting', { muting: true }, { muting: false }],
])('answers writes of %s as X does', async (part, set, cleared) => {
  const path = `${mine}/${part}`;
  const body = part.endsWith('ing') ? { target_user_id } : { tweet_id };
  const [id] = Object.values(body);
  expect((await send('POST', path, body)).body).toEqual({ data: set });
  expect((await send('DELETE', `${path}/${id}`)).body).toEqual({ data: cleared });
  const [name = ''] = Object.keys(body);
  expect((await send('POST', path, { [name]: '12' })).body).toMatchObject({ errors: [{ value: '12' }] });
  expect((await send('POST', path, body, grace)).status).toBe(400);
});

test('answers the creation and the deletion of posts as X does', async () => {
  const more = { reply: { in_reply_to_tweet_id: tweet_id }, quote_tweet_id: tweet_id };
  const made = await send('POST', '/2/tweets', { text: 'A reply that quotes', ...more });
  const { id } = made.body.data;
  expect(made).toMatchObject({ status: 201, body: { data: { id, text: 'A reply that quotes' } } });
  expect((await send('POST', '/2/tweets', { text: 'A reply that quotes', ...more })).status).toBe(403);
  expect((await send('POST', '/2/tweets', { text: 'x'.repeat(30_000) })).status).toBe(400);
  expect((await send('DELETE', `/2/tweets/${id}`, undefined, grace)).status).toBe(403);
  expect((await send('DELETE', `/2/tweets/${id}`)).body).toEqual({ data: { deleted: true } });
  expect((await send('DELETE', `/2/tweets/${id}`)).body).toMatchObject({ errors: [{ value: id }] });
});

test('refuses app-only tokens for writes', async () => {
  const app = { ...ada, authToken: sandbox.info.demo.appToken };
  expect((await send('POST', '/2/tweets', { text: 'Of nobody' }, app)).status).toBe(403);
});
