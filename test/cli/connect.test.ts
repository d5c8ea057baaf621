import { describe, expect, test } from 'vitest';
import { loopback, start } from '../platform/atproto/fake-servers.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { postern, type Typing } from '../support/command.ts';
import { consent } from '../support/sandbox-sign-in.ts';
import { hasTerminal, inTerminal } from '../support/terminal.ts';
import { useService } from '../support/use-service.ts';

const runtime = new AdjustableRuntime();
const { service, newCaller } = await useService({}, { runtime });
const { key } = await newCaller();
const env = { POSTERN_URL: service.demo.baseUrl, POSTERN_API_KEY: key };

const connect = (args: readonly string[], input?: string | Typing) => postern(['connect', ...args], env, input);

/** Signs a user in on the page that the command prints, as a browser does. */
const browse =
  (userName: string, decision: 'allow' | 'deny' = 'allow'): Typing =>
  async (printed) => {
    const [page] = await printed(/http\S+\/connect\/\S+/);
    const begun = await fetch(page, { method: 'POST', headers: { origin: service.origin }, redirect: 'manual' });
    const [cookie = ''] = begun.headers.get('set-cookie')?.split(';') ?? [];
    const callback = await consent(begun.headers.get('location') ?? '', userName, decision);
    await fetch(callback, { headers: { cookie } });
    return '';
  };

/** Allows the access on another machine, and pastes the address at which that browser ends. */
const paste =
  (userName: string, before = ''): Typing =>
  async (printed) => {
    const [page] = await printed(/http\S+\/oauth2\/authorize\S+/);
    return `${before}${await consent(page, userName)}\n`;
  };

describe('postern connect', () => {
  test('waits for the sign-in, and prints the id, with which calls act as the user', async () => {
    const { code, out, err } = await connect(['--no-open'], browse('grace'));
    expect([code, out]).toEqual([0, expect.stringMatching(/^conn_\w{22}\n$/)]);
    expect(err).toContain(
      `Signed in as grace.\nThe next commands can act as this user:\n  export POSTERN_AUTH_TOKEN=${out}`,
    );
    expect(err).not.toContain('demo key');
    const me = await postern(['call', 'user/me', '--json'], { ...env, POSTERN_AUTH_TOKEN: out.trim() });
    expect(JSON.parse(me.out)).toMatchObject({ userName: 'grace' });

    const again = await connect(['--reconnect', out.trim(), '--scopes', 'tweet.read', '--json'], browse('grace'));
    const scopes = ['tweet.read', 'users.read'];
    expect(JSON.parse(again.out)).toMatchObject({ id: out.trim(), status: 'active', scopes, error: null });
    const other = await connect(['--reconnect', out.trim()], browse('ada'));
    expect(other).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('Another user signed in than before'),
    });
    expect((await connect(['--list'])).out).toMatch(
      /^ID .*\nconn_\w{22} {2}active {2}grace {2}.*Another user signed in/,
    );

    expect(await connect(['--remove', out.trim()])).toMatchObject({ code: 0, out: expect.stringContaining('deleted') });
    expect(await connect(['--remove', out.trim()])).toMatchObject({ code: 5, out: '' });
    expect(await connect(['--list', '--json'])).toMatchObject({ code: 0, out: '' });
  });

  test('--paste takes the address of this sign-in only, and acts as the browser', async () => {
    const wrong = 'nonsense\nhttp://127.0.0.1:4000/connect/callback?state=other&code=x\n';
    const scopes = ['--scopes', 'tweet.read,offline.access'];
    const { code, out, err } = await connect(['--paste', '--json', ...scopes], paste('linus', wrong));
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      status: 'active',
      user: { userName: 'linus' },
      scopes: ['tweet.read', 'users.read', 'offline.access'],
    });
    expect(err.match(/This is not the address of this sign-in/g)).toHaveLength(2);
    const ended = await connect(['--paste'], 'http://127.0.0.1/?state=other\n');
    expect(ended).toMatchObject({ code: 2, out: '', err: expect.stringContaining('standard input has ended') });
  });

  test('ends with 1 if the access is denied, or the sign-in is not completed in time', async () => {
    const denied = await connect(['--no-open'], browse('ada', 'deny'));
    expect(denied).toMatchObject({ code: 1, out: '', err: expect.stringContaining('The sign-in was denied') });
    const late = await connect(['--no-open'], async (printed) => {
      await printed(/Waiting for the sign-in/);
      runtime.leap(10 * 60_000);
      return '';
    });
    expect(late).toMatchObject({ code: 1, out: '', err: expect.stringContaining('not completed in time') });
  });

  test('takes an app password of the AT Protocol from standard input, and does not show it in a terminal', async () => {
    const { access } = await start(loopback);
    const env = { POSTERN_URL: access.baseUrl, POSTERN_API_KEY: access.key };
    const { code, out, err } = await postern(['connect', '--json'], env, 'alice.test\npass-word\n');
    expect([code, err]).toEqual([0, expect.not.stringContaining('pass-word')]);
    expect(JSON.parse(out)).toMatchObject({ status: 'active', user: { userName: 'alice.test' }, expires_at: null });
    const refused = await postern(['connect', '--paste'], env, 'alice.test\n');
    expect(refused).toMatchObject({ code: 2, out: '' });
    if (!hasTerminal) return;
    const answers: [string, string][] = [
      ['Handle or DID: ', 'alice.test'],
      ['not shown): ', 'pass-word'],
    ];
    const shown = await inTerminal(['connect'], env, { answers });
    expect(shown).toMatch(/alice\.test[\s\S]*conn_\w{22}\r?\n[\s\S]*Signed in as alice\.test/);
    expect(shown).not.toContain('pass-word');
  });

  test('says that everybody has the demo key', async () => {
    const { err } = await postern(['connect', '--paste'], { DATA_DIR: service.dataDir }, paste('grace'));
    expect(err).toContain('The demo key is public');
  });

  test.each<[number, RegExp, string[]]>([
    [2, /'--list' cannot be used with option '--paste'/, ['--list', '--paste']],
    [
      2,
      /'--remove <id>' cannot be used with option '--scopes <scopes>'/,
      ['--remove', 'conn_1', '--scopes', 'tweet.read'],
    ],
    [2, /scopes: must be some of tweet\.read/, ['--scopes', 'everything']],
    [5, /Connection not found: conn_1/, ['--reconnect', 'conn_1']],
  ])('ends with %d: %s', async (expected, message, args) => {
    const { code, out, err } = await connect(args);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([expected, '']);
  });
});
