import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { connection } from '../store/webhook-makers.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const runtime = new AdjustableRuntime();
const dataDir = temporaryFolder();

const run = (...args: string[]) => postern(args, { DATA_DIR: dataDir });

async function json(...args: string[]) {
  const { code, out, err } = await run(...args, '--json');
  expect(err).toBe('');
  expect(code).toBe(0);
  expect(out.trim()).not.toContain('\n');
  return JSON.parse(out);
}

async function lifeOfAnAccount() {
  const { id } = await json('account', 'create', '--name', 'Ann Example', '--credits', '1.5');
  expect(id).toMatch(/^acc_/);
  expect(await json('account', 'credit', id, '0.25', '--description', 'Invoice 7')).toEqual({ id: expect.any(String) });
  const accounts = (await json('account', 'list')) as { id: string; balance: string }[];
  const account = accounts.find((one) => one.id === id);
  expect(account).toMatchObject({ name: 'Ann Example', balance: '1.75', held: '0', charged: '0' });

  const made = await json('key', 'create', '--account', id, '--name', 'Laptop');
  expect(Object.keys(made).sort()).toEqual(['id', 'key']);
  const [listed] = await json('key', 'list', '--account', id);
  const prefix = made.key.slice(0, 11);
  expect(listed).toMatchObject({ id: made.id, account: id, name: 'Laptop', prefix, revoked_at: null });
  expect(JSON.stringify(listed)).not.toContain(made.key);
  return { account: id as string, keyId: made.id as string, key: made.key as string };
}

describe('accounts and keys from the command line', () => {
  test('an output file that cannot be made is not reported as DATA_DIR', async () => {
    const { id } = await json('account', 'create', '--name', 'Ann Example');
    const path = join(dataDir, '..', 'no-such-folder', 'export.jsonl');
    const { code, err } = await run('account', 'export', id, path);
    expect([code, err]).toEqual([1, expect.stringMatching(/^postern: the file or folder cannot be used: ENOENT/)]);
  });

  test('are made, listed and ended while no service runs', async () => {
    const { keyId, account } = await lifeOfAnAccount();
    expect(await json('key', 'revoke', keyId)).toEqual({ id: keyId });
    const [revoked] = await json('key', 'list', '--account', account);
    expect(revoked.revoked_at).toMatch(/^\d{4}-/);
    expect(await json('key', 'revoke', keyId)).toEqual({ id: keyId });
    expect((await json('key', 'list', '--account', account))[0]).toEqual(revoked);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  test('work at once over HTTP while a service runs, and a revoked key ends within 5 s', async () => {
    const service = await startService({ DATA_DIR: dataDir }, { runtime });
    onTestFinished(() => service.stop());
    const { key, keyId, account } = await lifeOfAnAccount();
    const authToken = service.demo.accounts[0].authToken;
    const client = new Client({ baseUrl: service.demo.baseUrl, key, authToken });
    const answer = await client.get('/user/info', { userName: 'ada' });
    expect(answer.headers.get('x-credits-remaining')).toBe('1.749');
    const payments = (await client.get('/account/payments')).body.data['payments'];
    expect(payments).toMatchObject([{ amount: '0.25', description: 'Invoice 7' }, { amount: '1.5' }]);
    const { id } = await json('account', 'credit', account, '1');
    expect((await client.get('/account/balance')).body.data).toMatchObject({ balance: '2.749' });
    expect((await client.get('/account/payments')).body.data['payments']).toMatchObject([{ id, amount: '1' }, {}, {}]);

    await json('account', 'limit', account, '600');
    await json('account', 'limit', account, '600');
    const entries = (await client.get('/account/audit')).body.data['audit'];
    const changes = [{ action: 'account.updated', details: { rate_limit: '600' } }, { action: 'credit.added' }];
    expect(entries).toMatchObject([...changes, { action: 'key.created' }, {}, {}]);

    await run('key', 'revoke', keyId);
    runtime.leap(5_000);
    expect((await client.get('/account')).status).toBe(401);
  });

  test("have a limit of calls a minute, of their own or the service's", async () => {
    const { id } = await json('account', 'create', '--name', 'Limited', '--credits', '1');
    const limitOf = async () =>
      ((await json('account', 'list')) as { id: string; rate_limit: number | null }[]).find((one) => one.id === id)
        ?.rate_limit;
    expect(await limitOf()).toBeNull();
    expect(await json('account', 'limit', id, '600')).toEqual({ id, rate_limit: 600 });
    expect(await limitOf()).toBe(600);
    expect((await run('account', 'list')).out).toMatch(new RegExp(`LIMIT +CREATED\\n(.*\\n)*${id} .* 600 +\\d{4}-`));
    expect((await run('account', 'limit', id, '7')).out).toBe(`The limit of ${id} is now 7\n`);
    expect(await limitOf()).toBe(7);
    expect(await json('account', 'limit', id, 'default')).toEqual({ id, rate_limit: null });
    expect((await run('account', 'list')).out).toMatch(new RegExp(`${id} .* default +\\d{4}-`));
  });

  test('are shown with their keys, and renamed', async () => {
    const { account, keyId } = await lifeOfAnAccount();
    const keys = [{ id: keyId, name: 'Laptop' }];
    const shown = await json('account', 'show', account);
    expect(shown).toMatchObject({ id: account, name: 'Ann Example', balance: '1.75', api_keys: keys });
    expect(await json('account', 'rename', account, 'Ann B. Example')).toEqual({ id: account, name: 'Ann B. Example' });
    expect((await run('account', 'show', account)).out).toMatch(
      new RegExp(`^name +Ann B\\. Example$[\\s\\S]*^ID +PREFIX [^\\n]*\\n${keyId} `, 'm'),
    );
  });

  test('have restrictions', async () => {
    const { id } = await json('account', 'create', '--name', 'Restricted');
    const connectionId = `conn_${'0'.repeat(22)}`;
    const lists = ['--groups', 'tweet,user', '--connections', connectionId, '--ip-ranges', '203.0.113.0/24'];
    const refused = await run('key', 'create', '--account', id, ...lists);
    expect([refused.code, refused.err]).toEqual([5, expect.stringContaining(`no connection ${connectionId}`)]);
    const store = await openStore(readConfig({ DATA_DIR: dataDir }), systemRuntime);
    await store.connections.create(connection(connectionId, { account: id }), { most: 1, mostPending: 1 });
    await store.close();
    const options = [...lists, '--calls-per-minute', '60', '--dollars-per-day', '0.5'];
    await json('key', 'create', '--account', id, '--read-only', ...options, '--expires-at', '2100-01-01T00:00:00Z');
    expect(await json('key', 'list', '--account', id)).toMatchObject([
      {
        read_only: true,
        groups: ['tweet', 'user'],
        connections: [connectionId],
        ip_ranges: ['203.0.113.0/24'],
        calls_per_minute: 60,
        dollars_per_day: '0.5',
        expires_at: '2100-01-01T00:00:00.000Z',
      },
    ]);
    expect((await run('key', 'list', '--account', id)).out).toContain(
      `read_only groups=tweet,user connections=${connectionId} ip_ranges=203.0.113.0/24 calls_per_minute=60 dollars_per_day=0.5 expires_at=2100-01-01T00:00:00.000Z`,
    );
  });

  test('speak to people too', async () => {
    const created = await run('account', 'create', '--name', 'Böb');
    const id = created.out.trim();
    expect(created).toMatchObject({ code: 0, err: `Next: node scripts/postern.js key create --account ${id}\n` });
    const key = await run('key', 'create', '--account', id);
    expect(key.out).toMatch(/^pstn_\w{38}\n$/);
    expect(key.err).toMatch(/^Keep it now/);
    expect((await run('account', 'list')).out).toMatch(/^ID +NAME +BALANCE/);
    expect((await run('key', 'list')).out).toMatch(/^ID +ACCOUNT +NAME/);
  });
});

describe('what cannot be done', () => {
  test.each<[RegExp, string[]]>([
    [/required option '--name <name>'/, ['account', 'create']],
    [/name must not be empty/, ['account', 'create', '--name', ' ']],
    [/"-5" is not a valid amount of dollars/, ['account', 'create', '--name', 'x', '--credits', '-5']],
    [/"a lot" is not a valid amount of dollars/, ['account', 'create', '--name', 'x', '--credits', 'a lot']],
    [/"0.0000001" is not a valid amount/, ['account', 'create', '--name', 'x', '--credits', '0.0000001']],
    [/No such account: acc_x.*account list/, ['account', 'credit', 'acc_x', '1']],
    [/No such account: acc_x.*account list/, ['account', 'show', 'acc_x']],
    [/No such account: acc_x/, ['account', 'rename', 'acc_x', 'Name']],
    [/name must not be empty/, ['account', 'rename', 'acc_demo', '']],
    [/must be more than 0/, ['account', 'credit', 'acc_demo', '0']],
    [/missing required argument 'dollars'/, ['account', 'credit', 'acc_demo']],
    [/No such account: acc_x.*account list/, ['account', 'limit', 'acc_x', '600']],
    [/"many" is not a valid limit/, ['account', 'limit', 'acc_demo', 'many']],
    [/"0" is not a valid limit/, ['account', 'limit', 'acc_demo', '0']],
    [/"1.5" is not a valid limit/, ['account', 'limit', 'acc_demo', '1.5']],
    [/"1000000001" is not a valid limit/, ['account', 'limit', 'acc_demo', '1000000001']],
    [/No such account: acc_x/, ['key', 'create', '--account', 'acc_x']],
    [/--groups: must be one of tweet/, ['key', 'create', '--account', 'acc_demo', '--groups', 'tweets']],
    [/--calls-per-minute: /, ['key', 'create', '--account', 'acc_demo', '--calls-per-minute', 'many']],
    [
      /expires_at: must be in the future/,
      ['key', 'create', '--account', 'acc_demo', '--expires-at', '2020-01-01T00:00:00Z'],
    ],
    [/no such key: key_x/, ['key', 'revoke', 'key_x']],
    [/unknown command 'destroy'/, ['destroy']],
    [/unknown option '--force'/, ['account', 'list', '--force']],
    [/too many arguments/, ['serve', 'now']],
  ])('is told in plain words, with the exit code of its class: %s', async (message, args) => {
    const { code, out, err } = await run(...args);
    expect(err).toMatch(message);
    expect(code).toBe(/no such/i.test(message.source) ? 5 : 2);
    expect(out).toBe('');
    expect(err).not.toMatch(/\n\s+at /);
  });
});
