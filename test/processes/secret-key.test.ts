import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Environment } from '../../src/shared/config/config.ts';
import { atEnd } from '../support/at-end.ts';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import type { Demo } from '../support/demo.ts';
import { startReceiver, type TestReceiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
let dataDir: string;
let receiver: TestReceiver;

const sandbox = await startSandbox({ port: 0, dataDir: null, pinHashing: 'FastInsecure' });
atEnd(() => sandbox.close());
const platform = { PLATFORM_URL: sandbox.url, PLATFORM_KIND: 'sandbox' };

beforeEach(async () => {
  folder = temporaryFolder();
  dataDir = join(folder, 'data');
  receiver = await startReceiver();
});

/** Starts the service, calls `use`, and stops the service. Returns its log. */
async function run(use: (demo: Demo) => Promise<void> = async () => {}, env: Environment = {}): Promise<string> {
  const service = await startService({ DATA_DIR: dataDir, ...platform, ...env });
  await use(service.demo);
  await service.stop();
  return service.log.join('');
}

/** Returns the message of a start that is refused. */
async function refusal(): Promise<string> {
  const { code, out, err } = await postern(['serve'], { DATA_DIR: dataDir, PORT: '0', ...platform });
  expect([code, out]).toEqual([1, '']);
  return err;
}

async function registerWebhook({ baseUrl, apiKey, accounts }: Demo): Promise<void> {
  const client = new Client({ baseUrl, key: apiKey, authToken: accounts[0].authToken });
  const webhook = { url: receiver.url, secret: 'a-secret-of-at-least-16' };
  expect((await client.post('/webhooks', webhook)).status).toBe(200);
}

async function expectNoWebhooks({ baseUrl, apiKey }: Demo): Promise<void> {
  const { status, body } = await new Client({ baseUrl, key: apiKey }).get('/webhooks');
  expect([status, body.data['webhooks']]).toEqual([200, []]);
}

describe('secret.key of the embedded store', () => {
  test('that was removed prevents the start and is not replaced; when it is restored, the service starts again', async () => {
    await run();
    const path = join(dataDir, 'secret.key');
    const key = readFileSync(path, 'utf8');
    rmSync(path);
    const log = await refusal();
    expect(log).toMatch(/secret\.key is missing from DATA_DIR .*restore the file from the backup.*SECRET_KEY/);
    expect(log).toContain('node scripts/postern.js secret-key reset');
    expect(existsSync(path)).toBe(false);
    // The command line does not need the secret key.
    expect((await postern(['account', 'list'], { DATA_DIR: dataDir })).code).toBe(0);
    const doctor = await postern(['doctor', '--json'], { DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0' });
    const { checks } = JSON.parse(doctor.out) as { checks: { name: string; state: string; detail: string }[] };
    expect(checks.filter(({ name }) => name === 'secret_key')).toMatchObject([
      { state: 'fail', detail: expect.stringContaining('is missing from DATA_DIR') },
    ]);
    writeFileSync(path, key, { mode: 0o600 });
    await run();
  });

  test('that is lost can be given up: webhooks are deleted, accounts and credit remain', async () => {
    await run(registerWebhook);
    rmSync(join(dataDir, 'secret.key'));
    const unsure = await postern(['secret-key', 'reset'], { DATA_DIR: dataDir });
    expect(unsure.code).toBe(2);
    expect(unsure.err).toContain('--yes');
    await refusal();
    expect((await postern(['secret-key', 'reset', '--yes'], { DATA_DIR: dataDir })).code).toBe(0);
    await run(expectNoWebhooks);
    expect((await postern(['account', 'list'], { DATA_DIR: dataDir })).out).toContain('acc_demo');
  });
});

describe('the mode of secret.key', () => {
  test('is restricted to the owner, with a log line', async () => {
    await run();
    chmodSync(join(dataDir, 'secret.key'), 0o644);
    const log = await run();
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
    expect(log).toMatch(/"mode":"0644".*secret key/);
  });

  test('is not changed if secret.key is a symbolic link', async () => {
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, randomBytes(32).toString('base64'));
    chmodSync(elsewhere, 0o644);
    mkdirSync(dataDir, { mode: 0o700 });
    symlinkSync(elsewhere, join(dataDir, 'secret.key'));
    await run();
    expect(statSync(elsewhere).mode & 0o777).toBe(0o644);
  });

  test('is not changed if secret.key contains no key, because it may belong to another program', async () => {
    mkdirSync(dataDir, { mode: 0o700 });
    const path = join(dataDir, 'secret.key');
    writeFileSync(path, '-----BEGIN PRIVATE KEY-----');
    chmodSync(path, 0o644);
    expect(await refusal()).toContain('does not contain 32 bytes');
    await run(undefined, { SECRET_KEY: randomBytes(32).toString('base64') });
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });
});
