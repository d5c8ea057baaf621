import { describe, expect, onTestFinished, test } from 'vitest';
import { Client } from '../support/client.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function start(env: Record<string, string>) {
  const { demo, stop, makeAccount } = await startService(env);
  const clientOf = ({ connection: authToken } = demo.accounts[0]) =>
    new Client({ baseUrl: demo.baseUrl, key: demo.apiKey, authToken });
  return { demo, stop, makeAccount, clientOf };
}

const userOf = async (client: Client) => (await client.get('/user/me')).body.data?.['userName'];

describe('connections of the demo accounts', () => {
  test('work with the demo key only, and survive a restart', async () => {
    const env = { DATA_DIR: temporaryFolder(onTestFinished) };
    const first = await start(env);
    const ids = first.demo.accounts.map(({ connection }) => connection);
    for (const account of first.demo.accounts) expect(await userOf(first.clientOf(account))).toBe(account.userName);
    const { body } = await first.clientOf().get('/connections');
    const shown = first.demo.accounts.map(({ connection: id, userId, userName }) => {
      const profilePicture = `${first.demo.sandboxUrl}/media/avatars/${userName}-400x400.png`;
      const user = { id: userId, userName, name: expect.stringMatching(/^[A-Z]/), profilePicture };
      return expect.objectContaining({ id, status: 'active', expires_at: null, user });
    });
    expect(body.data['connections']).toHaveLength(3);
    expect(body.data['connections']).toEqual(expect.arrayContaining(shown));
    const { key } = await first.makeAccount('1');
    expect((await first.clientOf().with({ key }).get('/user/me')).status).toBe(404);
    const ada = first.clientOf();
    expect((await ada.send('DELETE', `/connections/${ids[0]}`)).status).toBe(200);
    expect((await ada.get('/user/me')).status).toBe(404);
    await first.stop();

    const second = await start(env);
    onTestFinished(second.stop);
    expect(second.demo.accounts.map(({ connection }) => connection)).toEqual(ids);
    for (const account of second.demo.accounts) expect(await userOf(second.clientOf(account))).toBe(account.userName);
  });
});
