#!/usr/bin/env node
// Posts the events of an account to a chat that has an incoming webhook: node docs/examples/chat-bridge.js
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Postern } from 'postern/client';
import { receiver } from 'postern/webhooks';

const { POSTERN_URL: baseUrl = '', POSTERN_API_KEY: apiKey = '', POSTERN_AUTH_TOKEN: authToken = '' } = process.env;
const { WEBHOOK_SECRET: secret = '', PORT = '9000', PUBLIC_URL, CHAT_URL, CHAT_FIELD = 'text' } = process.env;
const [seenFile = 'chat-bridge.seen'] = process.argv.slice(2);
if (secret.length < 16)
  throw new Error('WEBHOOK_SECRET must have at least 16 characters; openssl rand -hex 16 prints one');

/** Postern sends an event again for less than two days. This many ids must suffice for that time. */
const idsToKeep = 100_000;

/** @typedef {import('postern/webhooks').WebhookEvent} WebhookEvent */

/** Breaks what a chat would show as a mention, such as @everyone, by an invisible space. @param {string} line */
const withoutMentions = (line) => line.replace(/[<@]/g, '$&\u200b');

/** Returns the line for the chat, or null for an event that is not posted. @param {WebhookEvent} event */
function lineOf(event) {
  switch (event.type) {
    case 'tweet.mention':
    case 'tweet.reply':
    case 'tweet.quote':
      return `${event.author_name} (@${event.author_screen_name}): ${event.text}`;
    case 'tweet.like':
      return `${event.actor_screen_names.join(', ')} liked a tweet`;
    case 'user.follow':
      return `${event.actor_screen_names.join(', ')} followed you`;
    default:
      return null;
  }
}

/** Posts a line. Throws if the chat did not accept it. @param {string} line */
async function post(line) {
  if (!CHAT_URL) return void process.stdout.write(`${line}\n`);
  const response = await fetch(CHAT_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ [CHAT_FIELD]: withoutMentions(line) }),
    // Postern waits 10 s for the response to a delivery.
    signal: AbortSignal.timeout(8_000),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the chat responded with ${response.status}`);
}

const seen = new Set(
  existsSync(seenFile) ? readFileSync(seenFile, 'utf8').split('\n').filter(Boolean).slice(-idsToKeep) : [],
);
writeFileSync(seenFile, [...seen].map((id) => `${id}\n`).join(''));
/** The events that are being posted. @type {Map<string, Promise<void>>} */
const posting = new Map();

/** @param {WebhookEvent} event */
async function bridge(event) {
  const line = lineOf(event);
  if (line !== null) await post(line);
  seen.add(event.id);
  for (const oldest of seen) {
    if (seen.size <= idsToKeep) break;
    seen.delete(oldest);
  }
  appendFileSync(seenFile, `${event.id}\n`);
}

/** An error makes the receiver respond with 500, and Postern sends the event again, for 15 hours. @param {WebhookEvent} event */
async function onEvent(event) {
  if (seen.has(event.id)) return;
  let running = posting.get(event.id);
  if (!running) {
    running = bridge(event).finally(() => posting.delete(event.id));
    posting.set(event.id, running);
  }
  await running.catch((error) => {
    process.stderr.write(`event ${event.id}: ${error.message}\n`);
    throw error;
  });
}

/** Registers this receiver, unless it is registered already. @param {string} url */
async function register(url) {
  const postern = new Postern({ baseUrl, apiKey, authToken });
  for await (const webhook of postern.webhooks.list({ count: 100 }))
    if (webhook.url === url) return postern.webhooks.validate({ id: webhook.id });
  return postern.webhooks.create({
    url,
    secret,
    events: ['tweet.mention', 'tweet.reply', 'tweet.quote', 'tweet.like', 'user.follow'],
  });
}

const server = createServer(receiver({ secret, onEvent }));
server.listen(Number(PORT), 'localhost', async () => {
  const webhook = await register(PUBLIC_URL ?? `http://localhost:${PORT}/hook`);
  if (!webhook.valid) throw new Error(`the webhook is not valid: ${webhook.last_error}`);
  process.stdout.write(`bridging ${webhook.url} to ${CHAT_URL ? 'the chat' : 'this terminal'}\n`);
});
