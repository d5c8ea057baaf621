import { createHash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { Client } from '../../support/client.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService, type TestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
let service: TestService | undefined;
afterAll(() => service?.stop());

const [early, late] = ['early', 'late'].map((name) => createHash('sha256').update(name).digest('base64'));

/** Starts the service on the same store with other secret keys. */
async function restartWith(...keys: (string | undefined)[]) {
  await service?.stop();
  service = await startService({ DATA_DIR: folder, SECRET_KEY: keys.join(',') });
  const { baseUrl, apiKey, sandboxUrl, accounts } = service.demo;
  const client = new Client({ baseUrl, key: apiKey, authToken: accounts[0].authToken });
  return {
    post: (text: string) => client.post('/tweet/create', { text }, { 'idempotency-key': 'rotated' }),
    timesPosted: async (text: string) =>
      (await new SandboxControl(sandboxUrl).tweets()).filter((posted) => posted === text).length,
  };
}

test('a repeated request whose kept response needs a dropped secret key is refused with 409 and not performed', async () => {
  const text = 'Posted before the key was changed';
  expect(await (await restartWith(early)).post(text)).toMatchObject({ status: 200 });
  const during = await (await restartWith(late, early)).post(text);
  expect([during.status, during.headers.get('idempotent-replayed')]).toEqual([200, 'true']);

  const { post, timesPosted } = await restartWith(late);
  const refused = await post(text);
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'conflict']);
  expect(refused.body.error).toContain('its response cannot be read any more');
  expect(await timesPosted(text)).toBe(1);
});
