// Measures encrypted messages: the first list with an uncached encryption code, later lists, and the messages that are encrypted and
// decrypted per second.
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
} from '../../src/messaging/encryption/index.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { type Demo, readDemo } from '../../test/support/demo.ts';
import { median, readArguments } from './frame.ts';
import { start, stopAll, temporaryFolder } from './processes.ts';

readArguments('npm run bench -- chat\n\nPrints the medians of 20 lists, and the speed of 2,000 messages.', {});
const rounds = 20;
const messages = 2_000;
const { randomBytes } = systemRuntime;

const dataDir = temporaryFolder();
await start('postern.js', ['serve'], {
  PORT: '0',
  SANDBOX_PORT: '0',
  DATA_DIR: dataDir,
  SANDBOX_ACTIVITY: '0',
  RATE_LIMIT: '0',
});
await lists(readDemo(dataDir));
await stopAll();
sealAndOpen();

async function lists(demo: Demo): Promise<void> {
  for (const { userName, authToken, encryptionCode } of demo.accounts.slice(0, 2)) {
    const list = (code: string) => timed(() => get(demo, '/dm/list', authToken, code));
    const bare = await list('');
    // The sandbox enrols its demo accounts at their first request. This is done before the measurement, because a real platform has
    // enrolled its accounts long before.
    const first = await list(encryptionCode);
    const following: number[] = [];
    for (let round = 0; round < rounds; round++) following.push((await list(encryptionCode)).ms);
    const { length } = first.data.conversations;
    say(`${userName}, ${length} conversations`);
    say(`  without a code     ${show(bare.ms)}`);
    say(`  first with a code  ${show(first.ms)}   (Argon2id, three key realms, ${length} conversations opened)`);
    say(`  those that follow  ${show(median(following))}   (median of ${rounds})`);
  }
}

async function get({ baseUrl, apiKey }: Demo, path: string, authToken: string, code: string) {
  const headers = { authorization: `Bearer ${apiKey}`, 'x-auth-token': authToken };
  const response = await fetch(baseUrl + path, { headers: code ? { ...headers, 'x-encryption-code': code } : headers });
  const { data, error } = (await response.json()) as { data: { conversations: unknown[] }; error: string | null };
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${error}`);
  return data;
}

function sealAndOpen() {
  const person = (userId: string) => ({ userId, publicKeyVersion: '1', keys: generateChatKeys(randomBytes) });
  const [self, other] = [person('11'), person('12')];
  const id = conversationIdOf(self.userId, other.userId);
  const peers = new Peers(
    [self, other].map(({ userId, publicKeyVersion, keys }) => ({ userId, publicKeyVersion, ...registrationOf(keys) })),
  );
  const change = sealKeyChange(self, id, peers, { nowMs: Date.now(), randomBytes });
  if (!change.ok) throw new Error(change.reason);
  const { key } = change.value;
  const content = (text: string) => ({ kind: 'message' as const, text, attachments: [] });
  const sealed: ReturnType<typeof sealContent>[] = [];
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
  say(`seal and sign       ${perSecond(sealing)} messages a second`);
  say(`verify and open     ${perSecond(opening)} messages a second`);
}

function say(line: string) {
  process.stdout.write(`${line}\n`);
}

async function timed<Data>(run: () => Promise<Data>) {
  const start = performance.now();
  const data = await run();
  return { data, ms: performance.now() - start };
}

function spent(run: () => void) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function perSecond(ms: number) {
  return String(Math.round((messages / ms) * 1_000)).padStart(7);
}

function show(ms: number) {
  return `${ms.toFixed(1).padStart(7)} ms`;
}
