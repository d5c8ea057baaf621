// Performs each action once against a service in this process, with clock and chance held still, so that the examples
// of the API description are real answers and the same on every machine.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../dist/main/open-store.js';
import { serve } from '../../dist/main/serve.js';
import { startSandbox } from '../../dist/sandbox/sandbox.js';
import { readConfig } from '../../dist/shared/config/config.js';
import { Behind } from './behind.js';
import { Caller } from './caller.js';
import { heldTimers, predictableBytes } from './held.js';
import { startReceiver } from './receiver.js';

const nowMs = Date.UTC(2026, 10, 21, 9, 0, 0);
const now = () => nowMs;

/** A map from each action's name to `{ input, answer }`. */
export async function performAll(actions) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-print-'));
  const config = readConfig({
    PORT: '0',
    SANDBOX_PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    SECRET_KEY: createHash('sha256').update('print').digest('base64'),
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
    const caller = new Caller({ demo, behind: new Behind(demo), receiver, store, timers });
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
  const input = await withRealValues(action, caller);
  if (action.kind === 'stream') return caller.elsewhere({ input, answer: await caller.firstEvent(action, input) });
  const answer = await caller.call(action, input);
  caller.learn(action, answer.data);
  return caller.elsewhere({ input, answer });
}

/** Returns the example of the action, with ids that exist in this sandbox. */
async function withRealValues(action, caller) {
  const input = {};
  for (const [field, value] of Object.entries(action.example)) {
    input[field] = field in realOnes ? await realOnes[field](caller, action) : value;
  }
  return input;
}

/**
 * The fields whose values exist in one sandbox only. A read is shown a tweet with a reply, a quote and a retweet; a
 * write gets a tweet of its own, so that no action meets what another did.
 */
const realOnes = {
  tweet_id: aTweet,
  reply_to_tweet_id: aTweet,
  quote_tweet_id: aTweet,
  quote_tweet_url: async (caller, action) => `${caller.demo.sandboxUrl}/ada/status/${await aTweet(caller, action)}`,
  article_id: ({ behind }, { name }) => behind.write(name === 'article/detail' || name === 'article/unpublish'),
  userId: ({ demo }) => demo.accounts[1].userId,
  user_id: ({ demo }) => demo.accounts[1].userId,
  listId: ({ demo }) => demo.listId,
  conversation_id: ({ demo }) => conversationOf(demo),
  seq_id: ({ behind }, { name }) => behind.say(`A message for ${name.replace('/', ' ')}.`),
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

async function aTweet({ behind }, { method, name }) {
  if (method !== 'GET') return behind.post(`A tweet for ${name.replace('/', ' ')}.`);
  return behind.talkedAbout();
}
