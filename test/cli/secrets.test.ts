import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { Vault } from '../../src/shared/secrets/vault.ts';
import { WebhookVault } from '../../src/webhooks/shared/secrets.ts';
import { connection, webhook as record } from '../store/webhook-makers.ts';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import { startFleet } from '../support/fleet.ts';
import { findMongo, noMongo, startMongo } from '../support/mongo-server.ts';
import { startPostern } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { isAll } from '../support/repetitions.ts';
import { until } from '../support/until.ts';

const found = findMongo();
if (!found) process.stderr.write(`test/cli/secrets.test.ts, MongoDB: ${noMongo}\n`);
const more = 70;

describe.each(found && isAll ? ['sqlite', 'mongodb'] : ['sqlite'])('postern secrets rotate on the %s store', (kind) => {
  describe('while a gateway runs', async () => {
    const mongo = kind === 'mongodb' && found ? await startMongo(found) : null;
    const vaultOf = (key: string) => {
      const keys = [new Secret(Buffer.from(key, 'base64'))];
      const vault = new Vault(keys, systemRuntime);
      return { vault, webhooks: new WebhookVault(vault, keys) };
    };

    const secret = 'a-secret-of-at-least-16';
    const receiver = await startReceiver({ secret });
    const fleet = await startFleet(mongo?.url('postern') ?? null);
    afterAll(async () => {
      await fleet.stop();
      await receiver.stop();
      await mongo?.stop();
    });
    let gateway = await fleet.start();
    const oldKey = fleet.settings['SECRET_KEY'] as string;
    const newKey = randomBytes(32).toString('base64');
    const both = { ...fleet.settings, SECRET_KEY: `${newKey},${oldKey}` };
    const { baseUrl, apiKey: key, accounts } = gateway.demo;
    const client = new Client({ baseUrl, key, authToken: accounts[0].authToken });
    const webhook = (await client.post('/webhooks', { url: receiver.url, secret })).body.data['id'] as string;
    const { webhooks } = vaultOf(oldKey);
    for (let number = 0; number < more; number++) {
      const account = `a${number}`;
      const [id, poller] = [`w${number}`, `p${number}`];
      const url = webhooks.sealUrl({ account, id }, receiver.url);
      const sealed = webhooks.seal({ account, id }, { secret, proven: true, previous: null, encryptionCode: null });
      const one = record(id, { account, poller, url, sealed, valid: false });
      const credentials = webhooks.sealPoller(account, poller, { authToken: 'none', proxy: null });
      const made = { id: poller, account, sealed: credentials, createdAt: 1 };
      // A busy database may be unavailable for a moment.
      await until(() => fleet.store.webhooks.create(one, made, 10));
    }

    const { vault: oldVault } = vaultOf(oldKey);
    const sealed = (what: string) => oldVault.seal(`a ${what}`, `connection conn_1 ${what}`);
    const signedIn = connection('conn_1', { login: sealed('login'), signIn: sealed('sign-in') });
    await fleet.store.connections.create(signedIn, { most: 1, mostPending: 1 });

    test('waits until gateways have the new key', async () => {
      const outcome = await postern(['secrets', 'rotate'], both);
      expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining('restart every gateway') });
    });

    test('encrypts everything with the new key, after a kill too, and gateways run with it alone', async () => {
      await gateway.process.end('SIGTERM');
      gateway = await fleet.start({ SECRET_KEY: both.SECRET_KEY });
      const running = client.with({ baseUrl: gateway.demo.baseUrl });
      let isRotating = true;
      const read = async () => {
        const found = new Set<unknown>();
        for (; isRotating; await new Promise((resolve) => setTimeout(resolve, 50))) {
          const { status, body } = await running.get(`/webhooks/${webhook}`);
          // A busy database may be unavailable for a moment.
          if (status !== 503) found.add(status === 200 ? body.data['url'] : status);
        }
        return found;
      };
      const reading = read();
      const killed = startPostern(['secrets', 'rotate'], both);
      await until(() => expect(killed.log()).toContain('Checked 100 '));
      await killed.end('SIGKILL');
      const { code, out } = await postern(['secrets', 'rotate', '--json'], both);
      expect(code).toBe(0);
      const outcome = JSON.parse(out) as { checked: number; rotated: number; old_key_removable_at: string };
      const demoConnections = 3;
      expect(outcome.checked).toBe(2 * (more + 1) + 1 + demoConnections);
      expect(outcome.rotated).toBeLessThanOrEqual(outcome.checked - 99);
      expect(Date.parse(outcome.old_key_removable_at)).toBeGreaterThan(Date.now() + 23 * 3_600_000);

      const { vault } = vaultOf(newKey);
      const webhooks = await fleet.store.webhooks.listAll(1_000);
      expect(webhooks.filter(({ url, sealed }) => !vault.knows(url) || !vault.knows(sealed))).toEqual([]);
      const pollers = await fleet.store.pollers.listAll(1_000);
      expect(pollers.filter(({ sealed }) => !vault.knows(sealed))).toEqual([]);
      const { login, signIn } = (await fleet.store.connections.find('conn_1')) ?? {};
      const opened = [
        vault.open(login ?? '', 'connection conn_1 login'),
        vault.open(signIn ?? '', 'connection conn_1 sign-in'),
      ];
      expect(opened).toEqual(['a login', 'a sign-in']);
      const again = await postern(['secrets', 'rotate', '--json'], both);
      expect(JSON.parse(again.out)).toMatchObject({ rotated: 0 });
      isRotating = false;
      expect(await reading).toEqual(new Set([receiver.url]));
      // The running gateway goes on with the new texts.
      expect((await running.post(`/webhooks/${webhook}/test`)).status).toBe(200);

      await gateway.process.end('SIGTERM');
      gateway = await fleet.start({ SECRET_KEY: newKey });
      const { body } = await client.with({ baseUrl: gateway.demo.baseUrl }).get(`/webhooks/${webhook}`);
      expect(body.data).toMatchObject({ url: receiver.url, last_error: null });
    });
  });
});
