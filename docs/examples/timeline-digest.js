#!/usr/bin/env node
// Writes the most liked tweets of the actor's home timeline as an article, once a day:
// node docs/examples/timeline-digest.js [--publish]
import { IdempotencyError, Postern } from 'postern/client';

const { POSTERN_URL: baseUrl = '', POSTERN_API_KEY: apiKey = '', POSTERN_AUTH_TOKEN: authToken = '' } = process.env;
const publish = process.argv.includes('--publish');
const tweetsToRead = 100;
const tweetsToShow = 10;

/** @typedef {import('postern/client').Tweet} Tweet */

const postern = new Postern({ baseUrl, apiKey, authToken });
const today = new Date().toISOString().slice(0, 10);

/** Returns Markdown that shows the text as it is, on one line. @param {string} text */
function escaped(text) {
  return text
    .replace(/[!-/:-@[-`{-~]/g, '\\$&')
    .replace(/\s+/g, ' ')
    .trim();
}

/** @param {Tweet} tweet */
function section({ author, text, likeCount, retweetCount, url }) {
  const link = url === null ? '' : ` · [open](<${encodeURI(url)}>)`;
  return `## ${escaped(author.name)} (@${escaped(author.userName)})\n\n> ${escaped(text)}\n\n${likeCount} likes, ${retweetCount} retweets${link}\n`;
}

/** Returns the most liked tweets, at most one of each author. @param {readonly Tweet[]} tweets */
function best(tweets) {
  /** @type {Map<string, Tweet>} */
  const byAuthor = new Map();
  for (const tweet of tweets.toSorted((a, b) => b.likeCount - a.likeCount))
    if (tweet.text && !byAuthor.has(tweet.author.id)) byAuthor.set(tweet.author.id, tweet);
  return [...byAuthor.values()].slice(0, tweetsToShow);
}

const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
const me = await postern.user.me();
const tweets = await postern.user.homeTimeline({ count: 100 }).toArray({ limit: tweetsToRead });
const chosen = best(tweets);
if (chosen.length === 0) throw new Error('the home timeline has no tweets with text');
const content = `The best of ${tweets.length} tweets.\n\n${chosen.map(section).join('\n')}`;
try {
  const article = await postern.article.create(
    { title: `Digest of ${today}`, content, publish },
    { idempotencyKey: `timeline-digest:${me.id}:${today}` },
  );
  say(`${article.status}: ${article.public_url ?? article.draft_url}`);
} catch (error) {
  // The timeline has changed since the first run of the day, so the same key names another request.
  if (!(error instanceof IdempotencyError)) throw error;
  say(`the digest of ${today} was written before`);
}
