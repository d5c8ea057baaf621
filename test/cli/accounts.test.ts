import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import { startService, type TestService } from '../support/service.ts';

let dataDir: string;
let service: TestService | null = null;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'postern-test-'));
});
afterAll(async () => {
  await service?.stop();
  rmSync(dataDir, { recursive: true });
});

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
  expect(listed).toMatchObject({
    id: made.id,
    account: id,
    name: 'Laptop',
    prefix: made.key.slice(0, 11),
    revoked_at: null,
  });
  expect(JSON.stringify(listed)).not.toContain(made.key);
  return { account: id as string, keyId: made.id as string, key: made.key as string };
}

describe('accounts and keys from the command line', () => {
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
    service ??= await startService({ DATA_DIR: dataDir });
    const { key, keyId, account } = await lifeOfAnAccount();
    const authToken = service.demo.accounts[0]?.authToken ?? '';
    const client = new Client({ baseUrl: service.demo.baseUrl, key, authToken });
    const answer = await client.get('/user/info', { userName: 'ada' });
    expect(answer.headers.get('x-credits-remaining')).toBe('1.749');
    const payments = (await client.get('/account/payments')).body.data['payments'];
    expect(payments).toMatchObject([{ amount: '0.25', description: 'Invoice 7' }, { amount: '1.5' }]);
    const { id } = await json('account', 'credit', account, '1');
    expect((await client.get('/account/balance')).body.data).toMatchObject({ balance: '2.749' });
    expect((await client.get('/account/payments')).body.data['payments']).toMatchObject([{ id, amount: '1' }, {}, {}]);

    await run('key', 'revoke', keyId);
    const revokedAt = performance.now();
    await expect.poll(async () => (await client.get('/account')).status, { timeout: 6_000, interval: 200 }).toBe(401);
    expect(performance.now() - revokedAt).toBeLessThan(5_500);
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

  test('speak to people too', async () => {
    const created = await run('account', 'create', '--name', 'Böb');
    expect(created).toMatchObject({ code: 0, err: '' });
    const id = created.out.split('\n')[0] ?? '';
    expect(created.out).toContain(`npx postern key create --account ${id}`);
    const key = await run('key', 'create', '--account', id);
    expect(key.out).toMatch(/^pstn_\w{38}\nKeep it now/);
    expect((await run('account', 'list')).out).toMatch(/^ID +NAME +BALANCE/);
    expect((await run('key', 'list')).out).toMatch(/^ID +ACCOUNT +NAME/);
  });
});

describe('what cannot be done', () => {
  test.each<[RegExp, string[]]>([
    [/required option '--name <name>'/, ['account', 'create']],
    [/name must not be empty/, ['account', 'create', '--name', ' ']],
    [/"-5" is not an amount of dollars/, ['account', 'create', '--name', 'x', '--credits', '-5']],
    [/"a lot" is not an amount of dollars/, ['account', 'create', '--name', 'x', '--credits', 'a lot']],
    [/"0.0000001" is not an amount/, ['account', 'create', '--name', 'x', '--credits', '0.0000001']],
    [/No such account: acc_x.*account list/, ['account', 'credit', 'acc_x', '1']],
    [/must be more than 0/, ['account', 'credit', 'acc_demo', '0']],
    [/missing required argument 'dollars'/, ['account', 'credit', 'acc_demo']],
    [/No such account: acc_x.*account list/, ['account', 'limit', 'acc_x', '600']],
    [/"many" is not a limit/, ['account', 'limit', 'acc_demo', 'many']],
    [/"0" is not a limit/, ['account', 'limit', 'acc_demo', '0']],
    [/"1.5" is not a limit/, ['account', 'limit', 'acc_demo', '1.5']],
    [/"1000000001" is not a limit/, ['account', 'limit', 'acc_demo', '1000000001']],
    [/No such account: acc_x/, ['key', 'create', '--account', 'acc_x']],
    [/no such key: key_x/, ['key', 'revoke', 'key_x']],
    [/unknown command 'destroy'/, ['destroy']],
    [/unknown option '--force'/, ['account', 'list', '--force']],
    [/too many arguments/, ['serve', 'now']],
  ])('is told in plain words, with exit code 1: %s', async (message, args) => {
    const { code, out, err } = await run(...args);
    expect(err).toMatch(message);
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).not.toMatch(/\n\s+at /);
  });
});
