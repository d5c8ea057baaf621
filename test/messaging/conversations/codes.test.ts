import { describe, expect, test } from 'vitest';
import { listen } from '../../../src/cli/listen.ts';
import { CliError } from '../../../src/cli/print.ts';
import { Postern } from '../../../src/client/index.ts';
import { postern } from '../../support/command.ts';
import { dataOf, startMessageFixture, type Writer } from './fixture.ts';

const fixture = await startMessageFixture();
const { baseUrl } = fixture.service.demo;
const origin = baseUrl.replace('/v1', '');
const apiKey = String(fixture.client.options.key);

/** Calls each API that reads messages with these bytes as `x-encryption-code`. Returns the responses as texts. */
async function readEverywhere(who: Writer, code: Buffer): Promise<string[]> {
  const authToken = who.account.authToken;
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'x-auth-token': authToken,
    'x-encryption-code': code.toString('latin1'),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const post = (body: object) => ({ method: 'POST', headers, body: JSON.stringify(body) });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'dm_list', arguments: {} } };
  const responses = await Promise.all([
    fetch(`${baseUrl}/dm/list`, { headers }),
    fetch(`${origin}/graphql`, post({ query: '{ conversations { nodes { lastMessage { text } } } }' })),
    fetch(`${origin}/mcp`, post(call)),
    fetch(`${baseUrl}/events/token`, post({})),
  ]);
  return Promise.all(responses.map(async (response) => `${response.status} ${await response.text()}`));
}

describe('an encryption code beyond ASCII', () => {
  test.each(['pässwörd-42', '鍵🔑です 日本', 'e\u0301tude-77', 'ﬁne-Code-8²'])(
    'opens messages over every API, the client and the command line: %s',
    async (code) => {
      const who = await fixture.mint({ chatKeys: false });
      const { authToken } = who.account;
      const client = new Postern({ baseUrl, apiKey, authToken, encryptionCode: code });
      await client.dm.enroll();
      await client.dm.send({ user_id: fixture.grace.account.userId, text: 'Opened' });
      expect((await client.dm.list()).conversations).toMatchObject([{ last_message: { text: 'Opened' } }]);
      const [rest, graphql, mcp, token] = await readEverywhere(who, Buffer.from(code));
      for (const response of [rest, graphql, mcp]) expect(response).toMatch(/^200 .*Opened/s);
      expect(token).toMatch(/^200 /);
      const env = { POSTERN_URL: baseUrl, POSTERN_API_KEY: apiKey, POSTERN_AUTH_TOKEN: authToken };
      const called = await postern(['call', 'dm/list'], { ...env, POSTERN_ENCRYPTION_CODE: code });
      expect(called).toMatchObject({ code: 0, out: expect.stringContaining('Opened') });
      const opened = () => {
        throw new CliError('listening');
      };
      const listening = { baseUrl, apiKey, authToken, encryptionCode: code, types: null, forward: null, opened };
      await expect(listen({ ...listening, say: () => {}, warn: () => {} })).rejects.toThrow('listening');
    },
  );

  test('is refused with 400 if its header is not UTF-8, before a guess is used', async () => {
    const [responses, requests] = await fixture.sandbox.requestsDuring(() =>
      readEverywhere(fixture.ada, Buffer.from('pässwörd-42', 'latin1')),
    );
    for (const response of responses)
      expect(response).toMatch(/^400 .*Malformed header: x-encryption-code: encode it as UTF-8/s);
    expect(requests).toEqual({});
    for (const header of ['authorization', 'x-auth-token', 'x-proxy']) {
      const response = await fetch(`${baseUrl}/user/me`, { headers: { [header]: 'é' } });
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(`header: ${header}:`)]);
    }
  });

  test.each(['line\nbreak-42', 'tab\tcode-42', 'del\u007f-4242', 'half \ud83d emoji'])(
    'is refused with 400 if it has control characters or lone surrogates: %j',
    async (encryption_code) => {
      const who = await fixture.mint({ chatKeys: false });
      const refused = await who.post('/dm/enroll', { encryption_code });
      expect([refused.status, refused.body.error]).toEqual([
        400,
        'Malformed field: encryption_code: has control characters',
      ]);
      expect(() => new Postern({ baseUrl, apiKey, encryptionCode: encryption_code })).toThrow(/^encryptionCode has/);
    },
  );

  test('is normalized only if it is a PIN', async () => {
    const who = await fixture.mint({ chatKeys: false });
    dataOf(await who.post('/dm/enroll', { encryption_code: '７３８２０５' }));
    expect((await who.get('/dm/list', {}, { 'x-encryption-code': '738205' })).status).toBe(200);
    const other = await fixture.mint({ chatKeys: false });
    dataOf(await other.post('/dm/enroll', { encryption_code: 'ﬁne-Code-8' }));
    expect((await other.get('/dm/list', {}, { 'x-encryption-code': 'fine-Code-8' })).status).toBe(403);
  });
});
