#!/usr/bin/env node
// Posts a tweet once, however often it has to be sent: node docs/examples/graphql/post-once.js TEXT [KEY]
// Given the KEY of an earlier run, it is answered with that run's tweet.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from 'graphql-request';
import { billOf, demoClient, typed } from './demo.js';

const attempts = 5;

/** @typedef {{ createTweet: null | { id: string, text: string } }} Posted */

/** @type {import('graphql-request').TypedDocumentString<Posted, { text: string }>} */
const createTweet = typed(`
  mutation Post($text: String!) {
    createTweet(input: { text: $text }) {
      id
      text
    }
  }
`);

const client = demoClient();

/**
 * @param {string} text
 * @param {string} key the same for every attempt: by it the service knows them for one
 */
async function postOnce(text, key) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.rawRequest(createTweet.toString(), { text }, { 'idempotency-key': key });
    } catch (error) {
      const waitMs = attempt < attempts ? retryAfterMs(error, attempt) : null;
      if (waitMs === null) throw error;
      await sleep(waitMs);
    }
  }
}

/**
 * Returns the pause before another attempt; `null` if another attempt cannot succeed.
 *
 * @param {unknown} error
 * @param {number} attempt
 */
function retryAfterMs(error, attempt) {
  const patience = 250 * 2 ** attempt;
  // Without a response, the tweet may have been posted. Another attempt with the same key then returns this tweet.
  if (!(error instanceof ClientError)) return patience;
  const extensions = error.response.errors?.[0]?.extensions;
  if (typeof extensions?.['retryAfterSeconds'] === 'number') return extensions['retryAfterSeconds'] * 1_000;
  const mayPass = ['UNAVAILABLE', 'PLATFORM_UNAVAILABLE', 'PLATFORM_TIMEOUT'];
  return mayPass.includes(String(extensions?.['code'])) ? patience : null;
}

const [text, key = randomUUID()] = process.argv.slice(2);
if (!text) throw new Error('usage: post-once.js TEXT [KEY]');
const { data, headers, extensions } = await postOnce(text, key);
const tweet = /** @type {Posted} */ (data).createTweet;
const bill = billOf(extensions);
const how = headers.get('idempotent-replayed') === 'true' ? 'was posted before' : 'is posted';
process.stdout.write(`tweet ${tweet?.id} ${how}, for $${bill.credits.charged}; key ${key}\n`);
