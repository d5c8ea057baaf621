import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verify } from '../../src/client/webhooks/index.ts';
import { postern } from '../support/command.ts';
import { freePort } from '../support/mongo-server.ts';
import { type PosternProcess, startPostern } from '../support/process.ts';
import { startReceiver, type TestReceiver } from '../support/receiver.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { startService, type TestService } from '../support/service.ts';

const secret = 'a-secret-of-16-signs';
let service: TestService;
let receiver: TestReceiver;
let sandbox: SandboxControl;
let listening: PosternProcess | null;

beforeEach(async () => {
  service = await startService();
  sandbox = new SandboxControl(service.demo.sandboxUrl);
  receiver = await startReceiver({ secret });
  listening = null;
});
afterEach(async () => {
  await listening?.end('SIGKILL');
  await receiver.stop();
  await service.stop();
});

describe('postern listen', () => {
  test('prints events, and forwards them with a signature to a local program', async () => {
    const args = ['listen', '--forward-to', receiver.url, '--types', 'tweet.like,user.follow'];
    listening = startPostern(args, { DATA_DIR: service.dataDir, POSTERN_WEBHOOK_SECRET: secret });
    // The command does not report that the stream is open, so events are made until one is printed.
    const happening = setInterval(() => void sandbox.makeEvents({ type: 'like', userName: 'ada' }), 500);
    const [line] = await listening
      .printed(/\S+ {2}tweet\.like {15}evt_\S+ {2}→ 200 in \d+ ms/)
      .finally(() => clearInterval(happening));
    const [{ body, headers } = { body: '', headers: {} }] = receiver.deliveries;
    expect(verify(body, headers, secret)).toMatchObject({ attempt: 1, eventId: /evt_\S+/.exec(line)?.[0] });
  });

  test('opens the messages of a demo account with its own code', async () => {
    listening = startPostern(['listen'], { DATA_DIR: service.dataDir });
    const message = { from: 'grace', to: 'ada', text: 'Are you listening? \u009b31m' };
    const saying = setInterval(() => void sandbox.makeMessage(message), 500);
    const [line] = await listening
      .printed(/message\.received {9}evt_\S+ {2}\{.*\}/)
      .finally(() => clearInterval(saying));
    // Some terminals take U+009B for the beginning of an escape sequence.
    expect(line).toContain('"text":"Are you listening? \\u009b31m"');
  });

  test('prints the reason of a refusal, and ends', async () => {
    const refused = await postern(['listen'], { DATA_DIR: service.dataDir, POSTERN_AUTH_TOKEN: 'nobody' });
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('postern: Platform rejected auth_token') });
    const unknown = await postern(['listen', '--as', 'nobody'], { DATA_DIR: service.dataDir });
    expect(unknown).toMatchObject({ code: 5, err: expect.stringContaining('no demo account is called nobody') });
    const wrong = await postern(['listen', '--forward-to', 'nowhere'], { DATA_DIR: service.dataDir });
    const error = expect.stringContaining('--forward-to must be an http or https URL');
    expect(wrong).toMatchObject({ code: 2, err: error });
    const nowhere = await postern(['listen', '--url', 'nowhere'], { DATA_DIR: service.dataDir });
    expect(nowhere).toMatchObject({ code: 2, err: expect.stringContaining('--url must be an http or https URL') });
    for (const { err } of [refused, unknown, wrong, nowhere]) expect(err).not.toContain('listening as');
  });

  test('repeats the request after Retry-After', async () => {
    const key = { DATA_DIR: service.dataDir, POSTERN_ENCRYPTION_CODE: '907351' };
    for (let guess = 0; guess < 3; guess++)
      expect((await postern(['listen'], key)).err).toContain('Wrong encryption_code');
    listening = startPostern(['listen'], key);
    await expect
      .poll(() => listening?.log())
      .toMatch(/Too many wrong encryption_codes for this account: wait \d+ s\); trying again in [3-6]\d s/);
  });

  test('prints why the service is unreachable, and later that it listens', async () => {
    const args = ['listen', '--url', `http://127.0.0.1:${await freePort()}/v1`];
    listening = startPostern(args, { DATA_DIR: service.dataDir });
    await expect.poll(() => listening?.log()).toContain('the stream does not open (ECONNREFUSED); trying again');
    expect(listening.log()).not.toContain('listening as');
    await listening.end('SIGKILL');
    listening = startPostern(['listen'], { DATA_DIR: service.dataDir });
    await expect.poll(() => listening?.log()).toContain('listening as the demo account ada; stop with Ctrl-C');
  });
});
