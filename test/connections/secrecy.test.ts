import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSandbox } from '../sandbox/harness.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import type { Client } from '../support/client.ts';
import { posternProcess } from '../support/command.ts';
import { startReceiver } from '../support/receiver.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { consent } from '../support/sandbox-sign-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { useService } from '../support/use-service.ts';
import { register, secret } from '../webhooks/fixture.ts';
import { startTokenProxy, tokenLog } from './token-proxy.ts';

const hourMs = 3_600_000;
const { url: sandboxUrl } = await openSandbox();
const control = new SandboxControl(sandboxUrl);
const log = tokenLog();
const proxy = await startTokenProxy({ sandboxUrl, log });
const runtime = new AdjustableRuntime();
const folder = temporaryFolder();
const { service, newCaller } = await useService(
  { PLATFORM_KIND: 'sandbox', PLATFORM_URL: proxy, UNAUTHENTICATED_RATE_LIMIT: '0', DATA_DIR: folder },
  { runtime },
);

test('connections: leak no token, code, state, verifier or cookie into responses, events, log, metrics, store, export or backup', async () => {
  const { id: account, client } = await newCaller();
  const owner = client.with({ authToken: '' });
  const { secrets } = log;
  /** All responses, but for the links of sign-ins. */
  const said: string[] = [];
  const ask = async (asked: ReturnType<Client['get']>) => {
    const { status, body } = await asked;
    said.push(JSON.stringify(body));
    return status;
  };
  const visit = async (url: string | URL, cookie = '') => {
    const response = await fetch(url, { headers: { cookie }, redirect: 'manual' });
    said.push(`${response.headers.get('location')} ${await response.text()}`);
  };
  const start = async (path = '/connections') => {
    const { data } = (await owner.post(path, { return_to: `${service.origin}/console` })).body;
    const link = String(data['authorize_url']);
    await visit(link);
    const begun = await fetch(link, { method: 'POST', headers: { origin: service.origin }, redirect: 'manual' });
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
    const page = begun.headers.get('location') ?? '';
    const state = new URL(page).searchParams.get('state') ?? '';
    for (const text of [link.split('-').at(-1), cookie.split('=')[1], state.split('.')[1]]) secrets.add(text ?? '');
    return { id: String(data['id']), link, cookie, page };
  };
  const signIn = async (path?: string) => {
    const started = await start(path);
    const callback = await consent(started.page);
    // A callback that is forged, one that works, and one that is repeated.
    await visit(String(callback).replace(/code=[^&]+/, 'code=canary-forged-code'), '');
    await visit(callback, started.cookie);
    for (const again of [callback, started.link]) await visit(again, started.cookie);
    return started.id;
  };
  const id = await signIn();
  const denied = await start();
  await visit(await consent(denied.page, 'ada', 'deny'), denied.cookie);
  const user = client.with({ authToken: id });
  const receiver = await startReceiver({ secret });
  const webhook = await register(user, { url: receiver.url, events: ['connection.expired', 'user.follow'] });
  const refreshes = () => log.sent.length;

  for (const kind of [null, 'reset', 'nonsense', 'wrong_shape', 'status'] as const) {
    if (kind)
      await control.setFault({ fault: { kind, ...(kind === 'status' && { status: 400 }) }, operation: 'oauth2Token' });
    const before = refreshes();
    runtime.leap(2 * hourMs);
    await until(async () => {
      await ask(user.get('/user/me'));
      expect(refreshes()).toBeGreaterThan(before);
    });
    await control.clearFaults();
    runtime.leap(2_000);
    await ask(user.get('/user/me'));
  }
  await signIn(`/connections/${id}/reconnect`);
  expect(await ask(user.get('/user/me'))).toBe(200);
  await control.setFault({ fault: { kind: 'reset_after' }, operation: 'oauth2Token' });
  runtime.leap(2 * hourMs);
  await until(async () => {
    runtime.leap(1_000);
    expect(await ask(user.get('/user/me'))).toBe(403);
  });
  await until(() => expect(receiver.deliveries.map(({ body }) => body).join()).toContain('connection.expired'));
  await signIn(`/connections/${id}/reconnect`);
  for (const path of [
    '/connections',
    `/connections/${id}`,
    '/webhooks',
    `/webhooks/${webhook.id}/deliveries`,
    '/account/audit',
  ])
    expect(await ask(owner.get(path)), path).toBe(200);
  said.push(...receiver.requests.map(({ url, body }) => url + body));
  said.push(await (await fetch(`${service.origin}/metrics`)).text());
  said.push(...service.log);

  const [backup, copy] = [join(temporaryFolder(), 'backup'), join(temporaryFolder(), 'export.jsonl')];
  for (const args of [
    ['backup', backup],
    ['account', 'export', account, copy],
  ])
    expect(await posternProcess(args, { DATA_DIR: folder })).toMatchObject({ code: 0 });
  said.push(readFileSync(copy, 'utf8'));
  expect(said.at(-1)).toMatch(/"type":"connection".*"user":\{[^}]*"userName":"ada"/);
  const stored = [folder, backup].map((path) =>
    readdirSync(path)
      .filter((name) => /sqlite/.test(name))
      .map((name) => readFileSync(join(path, name), 'latin1'))
      .join(),
  );
  for (const text of [...stored, said.join()]) expect(text.includes(id)).toBe(true);
  // Of each of three sign-ins: a link, a cookie, a state, a code, a verifier and tokens.
  expect(secrets.size).toBeGreaterThan(24);
  secrets.add('canary-forged-code');
  for (const canary of secrets)
    expect(
      [...said, ...stored].filter((text) => text.includes(canary)),
      canary,
    ).toEqual([]);
});
