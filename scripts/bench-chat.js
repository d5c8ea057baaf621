// Measures encrypted messages: the first list with an uncached encryption code, later lists, and the messages that are encrypted and
// decrypted per second.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../dist/main/serve.js';
import {
  ConversationKeys,
  conversationIdOf,
  generateChatKeys,
  openEvent,
  Peers,
  placeEvent,
  registrationOf,
  sealContent,
  sealKeyChange,
} from '../dist/messaging/encryption/index.js';
import { readConfig } from '../dist/shared/config/config.js';
import { systemRuntime } from '../dist/shared/runtime/runtime.js';
import { median, recordResults } from './bench/frame.js';

const rounds = 20;
const messages = 2_000;
const { randomBytes } = systemRuntime;
const metrics = [];

const dataDir = mkdtempSync(join(tmpdir(), 'postern-bench-'));
const env = {
  PORT: '0',
  SANDBOX_PORT: '0',
  DATA_DIR: dataDir,
  LOG_LEVEL: 'silent',
  SANDBOX_ACTIVITY: '0',
  RATE_LIMIT: '0',
};
const service = await serve(readConfig(env));
try {
  await lists(JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')));
} finally {
  await service.stop();
  rmSync(dataDir, { recursive: true });
}
sealAndOpen();
recordResults({ metrics });

async function lists(demo) {
  for (const { userName, authToken, encryptionCode } of demo.accounts.slice(0, 2)) {
    const list = (code) => timed(() => get(demo, '/dm/list', authToken, code));
    const bare = await list('');
    // The sandbox enrols its demo accounts at their first request. This is done before the measurement, because a real platform has
    // enrolled its accounts long before.
    const first = await list(encryptionCode);
    const following = [];
    for (let round = 0; round < rounds; round++) following.push((await list(encryptionCode)).ms);
    const { length } = first.data.conversations;
    metrics.push(
      {
        id: `chat.${userName}.first`,
        label: `first list of ${userName}'s ${length} conversations`,
        value: first.ms,
        unit: 'ms',
        better: 'lower',
      },
      {
        id: `chat.${userName}.next`,
        label: `next lists of ${userName}'s conversations`,
        value: median(following),
        unit: 'ms',
        better: 'lower',
      },
    );
    say(`${userName}, ${length} conversations`);
    say(`  without a code     ${show(bare.ms)}`);
    say(`  first with a code  ${show(first.ms)}   (Argon2id, three key realms, ${length} conversations opened)`);
    say(`  those that follow  ${show(median(following))}   (median of ${rounds})`);
  }
}

async function get({ baseUrl, apiKey }, path, authToken, code) {
  const headers = { authorization: `Bearer ${apiKey}`, 'x-auth-token': authToken };
  const response = await fetch(baseUrl + path, { headers: code ? { ...headers, 'x-encryption-code': code } : headers });
  const { data, error } = await response.json();
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${error}`);
  return data;
}

function sealAndOpen() {
  const people = ['11', '12'].map((userId) => ({ userId, publicKeyVersion: '1', keys: generateChatKeys(randomBytes) }));
  const [self, other] = people;
  const id = conversationIdOf(self.userId, other.userId);
  const peers = new Peers(
    people.map(({ userId, publicKeyVersion, keys }) => ({ userId, publicKeyVersion, ...registrationOf(keys) })),
  );
  const change = sealKeyChange(self, id, peers, { nowMs: Date.now(), randomBytes });
  if (!change.ok) throw new Error(change.reason);
  const { key } = change.value;
  const content = (text) => ({ kind: 'message', text, attachments: [] });
  const sealed = [];
  const sealing = spent(() => {
    for (let n = 0; n < messages; n++) sealed.push(sealContent(self, id, key, content(`Message ${n}`), randomBytes));
  });
  const keys = new ConversationKeys();
  keys.adopt(key);
  const reader = { self: other, conversationId: id, peers, keys };
  const raw = sealed.map((event, n) => placeEvent(event, { sequenceId: String(n + 1), createdAtMs: Date.now() }));
  const opening = spent(() => {
    for (const one of raw) if (!openEvent(one, reader).ok) throw new Error('a message does not open');
  });
  metrics.push(
    {
      id: 'chat.seal',
      label: 'messages sealed and signed',
      value: (messages / sealing) * 1_000,
      unit: '1/s',
      better: 'higher',
    },
    {
      id: 'chat.open',
      label: 'messages verified and opened',
      value: (messages / opening) * 1_000,
      unit: '1/s',
      better: 'higher',
    },
  );
  say(`seal and sign       ${perSecond(sealing)} messages a second`);
  say(`verify and open     ${perSecond(opening)} messages a second`);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}

async function timed(run) {
  const start = performance.now();
  const data = await run();
  return { data, ms: performance.now() - start };
}

function spent(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function perSecond(ms) {
  return String(Math.round((messages / ms) * 1_000)).padStart(7);
}

function show(ms) {
  return `${ms.toFixed(1).padStart(7)} ms`;
}
