#!/usr/bin/env node
// Replies once to each mention of the actor, however often it crashes: node docs/examples/mention-bot.js [STATE_FILE]
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError, NotFoundError, PermissionError, Postern } from 'postern/client';

const { POSTERN_URL: baseUrl = '', POSTERN_API_KEY: apiKey = '', POSTERN_AUTH_TOKEN: authToken = '' } = process.env;
const pollMs = Number(process.env['POLL_SECONDS'] ?? 60) * 1_000;
const [stateFile = 'mention-bot.json'] = process.argv.slice(2);

const hourMs = 3_600_000;
/** The bot finds a mention that the platform lists later than its time says, if the delay is shorter than this. */
const overlapMs = hourMs;
/** Postern remembers an Idempotency-Key for 24 hours. */
const keyMs = 23 * hourMs;
/** The maximum number of replies in one conversation. The count starts again 30 days after the last reply. */
const conversationLimit = 3;
const conversationMs = 30 * 24 * hourMs;

/** @typedef {import('postern/client').Tweet} Tweet */
/** @typedef {Record<string, { replies: number, newest: number }>} Conversations */
/**
 * `handled` has the times of mentions by their ids.
 * @typedef {{ newest: number, handled: Record<string, number>, conversations: Conversations }} State
 */

const postern = new Postern({ baseUrl, apiKey, authToken });
const me = await postern.user.me();

/** @param {Tweet} mention */
const timeOf = (mention) => Date.parse(mention.createdAt);

/** The text depends on the mention only, because every attempt must send the same request. @param {Tweet} mention */
const replyTo = ({ author, text }) => `@${author.userName} Thank you for your ${text.split(/\s+/).length} words.`;

/** Returns the mentions that were not handled yet, oldest first. @param {State} state */
async function newMentions({ newest, handled }) {
  const found = [];
  for await (const mention of postern.user.mentions({ count: 100 })) {
    if (timeOf(mention) < newest - overlapMs) break;
    if (!(mention.id in handled) && mention.author.id !== me.id) found.push(mention);
  }
  return found.reverse();
}

/** @param {Tweet} mention */
async function hasMyReply(mention) {
  for await (const reply of postern.tweet.replies({ tweet_id: mention.id, count: 100 }))
    if (reply.author.id === me.id) return true;
  return false;
}

/**
 * Returns the reason for not replying to a mention, or null. Without such limits, two bots would reply to each other endlessly.
 * @param {State} state @param {Tweet} mention
 */
function reasonToStop({ conversations }, { id, conversationId, inReplyToId, inReplyToUserId }) {
  // A reply to the first tweet of a conversation is not a reply to a reply.
  if (inReplyToUserId === me.id && inReplyToId !== conversationId) return 'replies to a reply of this bot';
  const replies = conversations[conversationId ?? id]?.replies ?? 0;
  return replies < conversationLimit ? null : `is in a conversation with ${replies} replies of this bot`;
}

/** Replies to a mention and returns the outcome. Throws if another attempt may succeed. @param {Tweet} mention */
async function answer(mention) {
  // A key that Postern has forgotten cannot prevent a second reply.
  if (Date.now() - timeOf(mention) > keyMs && (await hasMyReply(mention))) return 'was answered before';
  const input = { text: replyTo(mention), reply_to_tweet_id: mention.id };
  try {
    const call = postern.tweet.create(input, { idempotencyKey: `mention-bot:${me.id}:${mention.id}` });
    const { replayed } = await call.withResponse();
    return replayed ? 'was answered before' : 'is answered';
  } catch (error) {
    if (error instanceof NotFoundError) return 'was deleted';
    // The platform has this reply, or cannot tell whether it has.
    if (error instanceof ConflictError) return `is not answered again: ${error.message}`;
    if (!(error instanceof PermissionError)) throw error;
    // Throws if the platform refuses the token, so that the mention is answered after the token was renewed.
    await postern.user.me();
    return `cannot be answered: ${error.message}`;
  }
}

/** @param {State} state @param {Tweet} mention */
function countReply({ newest, conversations }, { id, conversationId }) {
  const conversation = conversationId ?? id;
  conversations[conversation] = { replies: (conversations[conversation]?.replies ?? 0) + 1, newest };
  for (const [other, { newest: time }] of Object.entries(conversations))
    if (time < newest - conversationMs) delete conversations[other];
}

/** @param {State} state @param {Tweet} mention */
function markAsHandled(state, mention) {
  state.newest = Math.max(state.newest, timeOf(mention));
  state.handled[mention.id] = timeOf(mention);
  for (const [id, time] of Object.entries(state.handled)) if (time < state.newest - overlapMs) delete state.handled[id];
}

/** Saves the state atomically, so that a crash leaves the old or the new one. @param {State} state */
function save(state) {
  writeFileSync(`${stateFile}.new`, JSON.stringify(state), { flush: true });
  renameSync(`${stateFile}.new`, stateFile);
}

/** Returns the saved state. At the first start, the mentions that exist already count as handled. */
async function load() {
  try {
    return /** @type {State} */ ({ conversations: {}, ...JSON.parse(readFileSync(stateFile, 'utf8')) });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
  }
  const [latest] = await postern.user.mentions({ count: 1 }).toArray({ limit: 1 });
  const state = { newest: latest ? timeOf(latest) : 0, handled: {}, conversations: {} };
  if (latest) for (const mention of await newMentions(state)) markAsHandled(state, mention);
  save(state);
  return state;
}

let wakeUp = () => {};

/** The stream only says when to look, so the bot needs no event twice and may miss some. */
async function listen() {
  for await (const _event of postern.events({ types: ['tweet.mention'] })) wakeUp();
}

const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
const state = await load();
say(`answering mentions of @${me.userName}`);
listen().catch((error) => say(`no events: ${error.message}`));
for (;;) {
  const woken = new Promise((resolve) => {
    wakeUp = () => resolve(undefined);
  });
  try {
    for (const mention of await newMentions(state)) {
      const reason = reasonToStop(state, mention);
      say(`${mention.id} by @${mention.author.userName} ${reason ?? (await answer(mention))}`);
      markAsHandled(state, mention);
      if (reason === null) countReply(state, mention);
      save(state);
    }
  } catch (error) {
    say(`trying again: ${error instanceof Error ? error.message : error}`);
  }
  await Promise.race([woken, sleep(pollMs)]);
}
