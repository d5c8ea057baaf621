// Performs each action once against a service in this process with a fixed clock and fixed random bytes, so that the examples of the API
// description are real responses and the same on every machine.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { actions, streams } from '../../src/actions/registry.ts';
import { openStore } from '../../src/main/open-store.ts';
import { serve } from '../../src/main/serve.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Environment, readConfig } from '../../src/shared/config/config.ts';
import type { Runtime } from '../../src/shared/runtime/runtime.ts';
import type { Store } from '../../src/store/port.ts';
import { type Demo, readDemo } from '../../test/support/demo.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { Caller, type Fields } from './caller.ts';
import { type HeldTimers, heldTimers, predictableBytes } from './held.ts';
import type { Performed } from './operation.ts';

type Call = (typeof actions)[number] | (typeof streams)[number];

/** A service with a fixed clock and fixed random bytes. */
interface InService {
  demo: Demo;
  store: Store;
  timers: HeldTimers;
}

const nowMs = Date.UTC(2026, 10, 21, 9, 0, 0);
const now = () => nowMs;

/** Returns a map from each action's name to `{ input, answer }`. */
export function performAll(actions: readonly Call[]): Promise<Map<string, Performed>> {
  return inService(async ({ demo, store, timers }) => {
    const receiver = await startReceiver();
    try {
      const caller = new Caller({ demo, store, timers }, receiver);
      const performed = new Map<string, Performed>();
      // The actions run one after the other, because later ones may show the results of earlier ones. Actions on messages come last,
      // because their use of random bytes depends on which key realm responds first.
      const inOrder = [...actions].sort((a, b) => takesCode(a) - takesCode(b));
      for (const action of inOrder) performed.set(action.name, await perform(action, caller));
      return performed;
    } finally {
      await receiver.stop();
    }
  });
}

/** Runs `use` with a service that has a fixed clock and fixed random bytes. */
export async function inService<Result>(use: (service: InService) => Promise<Result>): Promise<Result> {
  const timers = heldTimers();
  const runtime = { now, randomBytes: predictableBytes(), after: timers.after };
  const SECRET_KEY = createHash('sha256').update('print').digest('base64');
  const service = await serveHere(runtime, { SECRET_KEY }, { now });
  try {
    return await use({ demo: readDemo(service.dataDir), store: service.store, timers });
  } finally {
    await service.stop();
  }
}

/** Starts a service with its sandbox in this process, so that it uses `runtime`. */
export async function serveHere(runtime: Runtime, env: Environment = {}, ofSandbox: { now?: () => number } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-print-'));
  const ports = { PORT: '0', SANDBOX_PORT: '0' };
  const config = readConfig({ ...ports, DATA_DIR: dataDir, LOG_LEVEL: 'silent', SANDBOX_ACTIVITY: '0', ...env });
  const store = await openStore(config, runtime);
  const { origin, stop } = await serve(config, {
    runtime,
    // The store runs in this thread, because a thread of its own would use its own clock.
    openStore: () => store,
    // A worker thread cannot load TypeScript.
    tasks: { worker: new URL('../../dist/main/task-worker.js', import.meta.url) },
    startSandbox: async (options) => ({ ...(await startSandbox({ ...options, ...ofSandbox })), onExit: () => {} }),
  });
  return {
    origin,
    dataDir,
    store,
    async stop() {
      await stop();
      await store.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

const takesCode = ({ name }: Call) => Number(name.startsWith('dm/'));

async function perform(action: Call, caller: Caller): Promise<Performed> {
  const input = await withRealValues(action, caller);
  if (action.kind === 'stream')
    return caller.elsewhere({ input: input as Performed['input'], answer: await caller.firstEvent(action, input) });
  const answer = await caller.call(action, input);
  caller.learn(action, answer.data);
  return caller.elsewhere({ input, answer } as unknown as Performed);
}

/** Returns the example of the action, with ids that exist in this sandbox. */
async function withRealValues(action: Call, caller: Caller): Promise<Fields> {
  const input: Fields = {};
  for (const [field, value] of Object.entries(action.example)) {
    const real = realOnes[field];
    input[field] = real ? await real(caller, action) : value;
  }
  return input;
}

/**
 * Fields whose values exist in one sandbox only. A read gets a tweet with a reply, a quote and a retweet. A write gets its own tweet, so
 * that actions do not affect each other.
 */
const realOnes: Record<string, (caller: Caller, call: Call) => unknown> = {
  tweet_id: aTweet,
  ids: async (caller, action) => [await aTweet(caller, action), '1'],
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
  event_id: ({ eventId }) => eventId,
  id: async (caller, { name }) => {
    if (name === 'webhooks/deliveries') await caller.haveAnEventDelivered();
    const { apiKey, connection, webhook } = caller;
    return (name.startsWith('account/keys/') ? apiKey : name.startsWith('connections/') ? connection : webhook)?.id;
  },
};

function conversationOf({ accounts: [ada, grace] }: Demo): string {
  const ids = [BigInt(ada.userId), BigInt(grace.userId)];
  return ids.sort((a, b) => (a < b ? -1 : 1)).join(':');
}

async function aTweet({ behind }: Caller, { method, name }: Call): Promise<string> {
  if (method !== 'GET') return behind.post(`A tweet for ${name.replace('/', ' ')}.`);
  return behind.talkedAbout();
}
