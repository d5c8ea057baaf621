import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { register, startWebhookFixture, type WebhookFixture } from './fixture.ts';

const folder = temporaryFolder();
const runtime = new AdjustableRuntime();
let fixture: WebhookFixture | undefined;

const [early, late] = ['early', 'late'].map((name) => createHash('sha256').update(name).digest('base64'));

async function restartWith(...keys: (string | undefined)[]): Promise<WebhookFixture> {
  await fixture?.stop();
  fixture = await startWebhookFixture({ DATA_DIR: folder, SECRET_KEY: keys.join(',') }, { runtime });
  return fixture;
}

test('a webhook that was stored with a dropped secret key is tried again, can be deleted, and other webhooks get their events', async () => {
  const before = await restartWith(early);
  const { client } = await before.actor();
  const url = (await before.receiver()).url;
  const { id } = await register(client, { url });
  await restartWith(late, early);

  const after = await restartWith(late);
  const failures = () => after.service.log.filter((line) => line.includes('a poller could not go on')).length;
  await until(() => {
    runtime.leap(60_000);
    expect(failures()).toBeGreaterThan(2);
  });
  const { client: other, account } = await after.actor();
  const receiver = await after.receiver();
  await register(other, { url: receiver.url });
  await after.happen(account);
  await until(() => {
    runtime.leap(5_000);
    expect(receiver.deliveries).toHaveLength(1);
  });

  const owner = client.with({ baseUrl: after.service.demo.baseUrl, authToken: '' });
  const { status, body } = await owner.send('DELETE', `/webhooks/${id}`);
  expect([status, body.data]).toEqual([200, { id, deleted: true }]);
  const [entry] = (await owner.get('/account/audit')).body.data['audit'] as object[];
  expect(entry).toMatchObject({ action: 'webhook.deleted', subject: { type: 'webhook', id, name: id } });
});
