import { expect, test } from 'vitest';
import { type Phase, RealmFront, type Reply } from '../messaging/key-recovery/realm-front.ts';
import { openSandbox } from '../sandbox/harness.ts';
import { atEnd } from '../support/at-end.ts';
import { Client } from '../support/client.ts';
import { readDemo } from '../support/demo.ts';
import { startPostern } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// A gateway in a process of its own accepts only the PIN hash of production.
const sandbox = await openSandbox({ pinHashing: 'Standard2019' });
const front = await RealmFront.open(sandbox.url);
const DATA_DIR = temporaryFolder();

async function startGateway() {
  const process = startPostern(['serve'], {
    DATA_DIR,
    PORT: '0',
    PLATFORM_URL: front.url,
    PLATFORM_KIND: 'sandbox',
    // A busy machine may be slow.
    PLATFORM_TIMEOUT_MS: '600000',
  });
  atEnd(async () => {
    if (process.child.exitCode === null && process.child.signalCode === null) await process.end('SIGKILL');
  });
  await process.printed(/listening on/);
  const { baseUrl, apiKey } = readDemo(DATA_DIR);
  return { process, client: new Client({ baseUrl, key: apiKey }) };
}

test.each([
  ['Recover1', 0],
  ['Recover2', 1],
  ['Recover3', 0],
] as const)('kill -9 of a gateway while realms handle its %s costs %i guesses', async (phase, guesses) => {
  const { authToken, encryptionCode } = await sandbox.mint();
  const { process, client } = await startGateway();
  const recover = (with_: Client, code = encryptionCode) =>
    with_.with({ authToken }).get('/dm/list', {}, { 'x-encryption-code': code });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let handled = 0;
  const all = new Promise<void>((resolve) => {
    const hold = async (at: Phase, ask: () => Promise<Reply>) => {
      const reply = await ask();
      if (at !== phase) return reply;
      handled += 1;
      if (handled === 3) resolve();
      await released;
      return reply;
    };
    for (const place of [1, 2, 3]) front.at(place, hold);
  });
  const cut = expect(recover(client)).rejects.toThrow();
  await all;
  await process.end('SIGKILL');
  await cut;
  release();
  front.clear();
  const next = await startGateway();
  const wrong = await recover(next.client, '555123');
  expect(wrong.body.error).toBe(`Wrong encryption_code: ${19 - guesses} guesses remaining`);
  expect((await recover(next.client)).status).toBe(200);
  await next.process.end('SIGKILL');
});
