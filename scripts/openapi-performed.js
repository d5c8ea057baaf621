// Performs each action once against a service in this process, with clock and chance held still, so that the examples
// of the API description are real answers and the same on every machine.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../dist/config/config.js';
import { openStore } from '../dist/open-store.js';
import { systemRuntime } from '../dist/runtime/runtime.js';
import { startSandbox } from '../dist/sandbox/sandbox.js';
import { serve } from '../dist/serve.js';
import { startReceiver } from './openapi-receiver.js';

const nowMs = Date.UTC(2026, 10, 21, 9, 0, 0);
const now = () => nowMs;
/** Where the sandbox is by default; here it has any port that is free. */
const shownSandbox = 'http://127.0.0.1:4001';
const shownReceiver = 'http://localhost:9000/postern';

/** A map from each action's name to `{ input, answer }`. */
export async function performAll(actions) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-print-'));
  const config = readConfig({
    PORT: '0',
    SANDBOX_PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    SANDBOX_ACTIVITY: '0',
  });
  const timers = heldTimers();
  const runtime = { now, randomBytes: predictableBytes(), after: timers.after };
  const receiver = await startReceiver();
  let store;
  const service = await serve(config, {
    runtime,
    // In this thread: the store's own would go by its own clock.
    openStore: async () => {
      store = await openStore(config, runtime);
      return store;
    },
    startSandbox: async (options) => ({ ...(await startSandbox({ ...options, now })), onExit: () => {} }),
  });
  try {
    const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
    const caller = new Caller({ demo, receiver, store, timers });
    const performed = new Map();
    // One after the other: what one leaves behind, the next may show.
    // Those on messages come last, since how often they take chance depends on which key realm answers first.
    const inOrder = [...actions].sort((a, b) => takesCode(a) - takesCode(b));
    for (const action of inOrder) performed.set(action.name, await perform(action, caller));
    return performed;
  } finally {
    await service.stop();
    receiver.stop();
    rmSync(dataDir, { recursive: true });
  }
}

const takesCode = ({ name }) => Number(name.startsWith('dm/'));

async function perform(action, caller) {
  const input = await inThisWorld(action, caller);
  if (action.kind === 'stream') return caller.elsewhere({ input, answer: await caller.firstEvent(action, input) });
  const answer = await caller.call(action, input);
  caller.learn(action, answer.data);
  return caller.elsewhere({ input, answer });
}

/** The action's example, with the names of what is really there. */
async function inThisWorld(action, caller) {
  const input = {};
  for (const [field, value] of Object.entries(action.example)) {
    input[field] = field in realOnes ? await realOnes[field](caller, action) : value;
  }
  return input;
}

/**
 * Fields whose values exist in one world only. Who reads sees a tweet that has replies; who changes gets one of its
 * own, so that no action meets what another did.
 */
const realOnes = {
  tweet_id: aTweet,
  reply_to_tweet_id: aTweet,
  quote_tweet_id: aTweet,
  quote_tweet_url: async (caller, action) => `${caller.demo.sandboxUrl}/ada/status/${await aTweet(caller, action)}`,
  article_id: (caller, { name }) => caller.write(name === 'article/detail' || name === 'article/unpublish'),
  userId: ({ demo }) => demo.accounts[1].userId,
  user_id: ({ demo }) => demo.accounts[1].userId,
  listId: ({ demo }) => demo.listId,
  conversation_id: ({ demo }) => conversationOf(demo),
  seq_id: (caller, { name }) => caller.say(`A message for ${name.replace('/', ' ')}.`),
  url: ({ receiver }) => receiver.url,
  id: async (caller, { name }) => {
    if (name === 'webhooks/deliveries') await caller.haveAnEventDelivered();
    return caller.webhook.id;
  },
};

function conversationOf({ accounts: [ada, grace] }) {
  const ids = [BigInt(ada.userId), BigInt(grace.userId)];
  return ids.sort((a, b) => (a < b ? -1 : 1)).join(':');
}

async function aTweet(caller, { method, name }) {
  if (method !== 'GET') return caller.post(`A tweet for ${name.replace('/', ' ')}.`);
  return caller.findTweet((tweet) => tweet.replyCount > 0);
}

/** Calls the gateway as `ada`. */
class Caller {
  constructor({ demo, receiver, store, timers }) {
    this.demo = demo;
    this.receiver = receiver;
    this.store = store;
    this.timers = timers;
  }

  /** Later examples are about what earlier ones made. */
  learn({ name }, data) {
    if (name === 'webhooks/create') this.webhook = data;
    if (data.secret !== undefined) this.receiver.secret = data.secret;
  }

  async call(action, input) {
    const response = await this.#ask(action, input);
    return response.json();
  }

  /** What a stream says once something happens. */
  async firstEvent(action, input) {
    this.timers.letRun();
    const controller = new AbortController();
    const response = await this.#ask(action, input, controller.signal);
    await this.#happen();
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('data: ') && text.endsWith('\n\n')) break;
    }
    controller.abort();
    return text;
  }

  async #ask({ method, path, actor, name }, input, signal = null) {
    const left = { ...input };
    const as = name === 'dm/enroll' ? await this.#keyless() : this.demo.accounts[0];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_match, field) => {
      const value = left[field];
      delete left[field];
      return encodeURIComponent(value);
    });
    const query = method === 'GET' ? `?${new URLSearchParams(left)}` : '';
    const hasBody = method !== 'GET' && method !== 'DELETE';
    const response = await fetch(this.demo.baseUrl + filled + query, {
      method,
      signal,
      headers: {
        authorization: `Bearer ${this.demo.apiKey}`,
        ...(actor && { 'x-auth-token': as.authToken }),
        ...(name.startsWith('dm/') && { 'x-encryption-code': as.encryptionCode }),
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(left) }),
    });
    if (response.status !== 200) {
      const { error } = await response.json();
      throw new Error(`${name}: its example ${JSON.stringify(input)} was answered ${response.status}: ${error}`);
    }
    return response;
  }

  /** Posts a tweet, behind the gateway, so that the account's books show the examples alone. Answers its id. */
  async post(text) {
    const { tweet } = await this.#platform('/api/tweets', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
    return tweet.id;
  }

  /** Writes an article, likewise. */
  async write(published) {
    const send = (path, method, body) =>
      this.#platform(`/api/articles${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const { article } = await send('', 'POST', {});
    await send(`/${article.id}/title`, 'PUT', { title: 'On looms' });
    const text = 'They remember patterns.';
    const styles = [{ offset: 5, length: 8, style: 'BOLD' }];
    const blocks = [
      { type: 'header-one', text: 'Why looms' },
      { type: 'unstyled', text, styles },
    ];
    await send(`/${article.id}/content`, 'PUT', { content: { blocks, entities: [], containers: [] } });
    if (published) await send(`/${article.id}/published`, 'PUT', {});
    return article.id;
  }

  /** Says something to grace, sealed by the sandbox's own client of ada. Answers its seq_id. */
  async say(text) {
    const { event } = await this.#control('messages', { from: 'ada', to: 'grace', text });
    return event.seq_id;
  }

  /** An account that has yet to enroll, and the code that it will have. */
  async #keyless() {
    const { accounts } = await this.#control('accounts', { chatKeys: false });
    return { ...accounts[0], encryptionCode: '739146' };
  }

  #control(path, body) {
    const headers = { 'content-type': 'application/json' };
    return this.#platform(`/control/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async findTweet(wanted) {
    const { tweets } = await this.#platform('/api/search?q=from:grace&count=100');
    const found = tweets.find((tweet) => wanted({ replyCount: tweet.reply_count })) ?? tweets[0];
    return found.id;
  }

  /** Something that the webhook is to get, made by the sandbox, and seen in the store as delivered. */
  async haveAnEventDelivered() {
    this.timers.letRun();
    await this.#happen();
    const { data: account } = await this.call({ method: 'GET', path: '/account', name: 'account' }, {});
    for (;;) {
      const [delivery] = await this.store.deliveries.list(account.id, this.webhook.id, 1);
      if (delivery?.state === 'delivered') return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #happen() {
    const event = { type: 'like', userName: this.demo.accounts[0].userName, actor: this.demo.accounts[1].userName };
    await this.#platform('/control/events', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(event),
    });
  }

  /** The same as a newcomer would see it, whose sandbox has its usual port. */
  elsewhere(value) {
    const text = JSON.stringify(value).replaceAll(this.demo.sandboxUrl, shownSandbox);
    return JSON.parse(text.replaceAll(this.receiver.url, shownReceiver), (name, each) => made[name] ?? each);
  }

  async #platform(path, { headers, ...init } = {}) {
    const cookie = `auth_token=${this.demo.accounts[0].authToken}`;
    const response = await fetch(this.demo.sandboxUrl + path, { ...init, headers: { ...headers, cookie } });
    if (!response.ok) throw new Error(`the sandbox answered ${response.status} to ${path}: ${await response.text()}`);
    return response.json();
  }
}

/** What is made by chance, and in which order nobody knows. */
const made = {
  message_id: '7b0f3c1e-5a52-4c7e-9d0b-2f6a1e8c4d93',
  media_hash_key: 'q2Xk0m1l9dYb3w8ZrT5uHcVnE7sQfJgA4oPiLtRxWyU',
};

/** Bytes that look random and are the same in every run. */
function predictableBytes() {
  let calls = 0;
  return (length) => {
    const blocks = [];
    for (let i = 0; i * 32 < length; i++) {
      blocks.push(createHash('sha256').update(`postern print ${calls} ${i}`).digest());
    }
    calls++;
    return Buffer.concat(blocks).subarray(0, length);
  };
}

/**
 * Timers of the background wait until they are let: what it does takes chance in an order that nobody knows, after which
 * nothing made by chance must be shown.
 */
function heldTimers() {
  const longestHurryMs = 400;
  let held = new Set();
  return {
    after(delayMs, task) {
      if (held === null || delayMs < longestHurryMs) return systemRuntime.after(delayMs, task);
      const entry = { task };
      held.add(entry);
      return {
        cancel: () => {
          held?.delete(entry);
          entry.started?.cancel();
        },
      };
    },
    letRun() {
      const waiting = held ?? [];
      held = null;
      for (const entry of waiting) entry.started = systemRuntime.after(0, entry.task);
    },
  };
}
