import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import { type Demo, readDemo } from '../support/demo.ts';
import { startPostern } from '../support/process.ts';
import { openSocket } from '../support/raw.ts';
import { isAll } from '../support/repetitions.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hasTerminal, inTerminal } from '../support/terminal.ts';

let dataDir: string;
beforeEach(({ onTestFinished }) => {
  dataDir = temporaryFolder(onTestFinished);
});

async function start(command: string, folder: string, env: Record<string, string> = {}) {
  const started = startPostern([command], { DATA_DIR: join(dataDir, folder), PORT: '0', SANDBOX_PORT: '0', ...env });
  onTestFinished(async () => void (await started.end('SIGKILL')));
  const [, origin = ''] = await started.printed(/listening on (http:\/\/\S+)\n/);
  return { ...started, origin };
}

const demoOf = (folder: string) => readDemo(join(dataDir, folder));
const clientOf = (demo: Demo) =>
  new Client({ baseUrl: demo.baseUrl, key: demo.apiKey, authToken: demo.accounts[0].authToken });

describe('postern serve', () => {
  test('on any free port writes demo.json with the real one; two starts give the same key and the credit once', async () => {
    const first = await start('serve', 'a');
    const demo = demoOf('a');
    expect(demo.baseUrl).toBe(`${first.origin}/v1`);
    for (const name of ['demo.json', 'demo.env']) expect(statSync(join(dataDir, 'a', name)).mode & 0o777).toBe(0o600);
    const variables = execFileSync('sh', ['-c', '. "$0" && env', join(dataDir, 'a', 'demo.env')], { encoding: 'utf8' });
    expect(variables.split('\n')).toEqual(
      expect.arrayContaining([`POSTERN_URL=${demo.baseUrl}`, `POSTERN_AUTH_TOKEN=${demo.accounts[0].connection}`]),
    );
    expect(statSync(join(dataDir, 'a')).mode & 0o777).toBe(0o700);
    const answer = await clientOf(demo).get('/tweet/advanced_search', { q: 'from:ada', count: '1' });
    expect(answer.headers.get('x-credits-remaining')).toBe('9.999');
    expect(await first.end('SIGTERM')).toBe(0);

    await start('serve', 'a');
    const again = demoOf('a');
    expect(again.apiKey).toBe(demo.apiKey);
    expect(again.accounts).toEqual(demo.accounts);
    expect((await clientOf(again).get('/account/balance')).body.data).toMatchObject({ balance: '9.999', held: '0' });
    expect((await clientOf(again).get('/account/payments')).body.data['payments']).toHaveLength(1);
    expect(demoOf('a').apiKey).not.toBe('');
  });

  test('finds its files from the bundle: documents, pages and the media of the sandbox', async () => {
    const { origin } = await start('serve', 'a');
    const { sandboxUrl } = demoOf('a');
    const found = async (url: string, headers: Record<string, string> = {}) => (await fetch(url, { headers })).status;
    for (const path of ['/openapi.json', '/docs', '/docs/errors', '/', '/home.css']) {
      expect([path, await found(origin + path)]).toEqual([path, 200]);
    }
    const graphiql = await (await fetch(`${origin}/graphql`, { headers: { accept: 'text/html' } })).text();
    const programs = [...graphiql.matchAll(/src="([^"]+\.js)"/g)].map(([, path]) => path);
    expect(programs).toHaveLength(1);
    for (const path of programs) expect(await found(origin + path)).toBe(200);
    expect(await found(`${sandboxUrl}/media/avatars/ada-400x400.png`)).toBe(200);
    const content = '# A heading\n\nA paragraph.\n\n'.repeat(3_000);
    const article = await clientOf(demoOf('a')).post('/article/create', { title: 'On looms', content });
    expect(article.status).toBe(200);
  });

  test('uses changes of the command line while it runs, and logs in columns with LOG_FORMAT=pretty', async () => {
    const service = await start('serve', 'a', { LOG_LEVEL: 'info', LOG_FORMAT: 'pretty' });
    const client = clientOf(demoOf('a'));
    const env = { DATA_DIR: join(dataDir, 'a') };
    for (const balance of ['11', '12', '13']) {
      expect((await postern(['account', 'credit', 'acc_demo', '1'], env)).code).toBe(0);
      expect((await client.get('/account/balance')).body.data).toMatchObject({ balance });
    }
    expect((await client.get('/user/info', { userName: 'ada' })).headers.get('x-credits-remaining')).toBe('12.999');
    expect(await service.end('SIGTERM')).toBe(0);
    const [account] = JSON.parse((await postern(['account', 'list', '--json'], env)).out) as Record<string, unknown>[];
    expect(account).toMatchObject({ balance: '12.999', held: '0', charged: '0.001' });
    expect(service.log()).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}GET {5}200 +\d+ ms user\/info +\$0\.001 +requestId=\S+ /m,
    );
  });

  test.skipIf(!hasTerminal)('on a terminal logs coloured lines, without LOG_FORMAT', async () => {
    const env = { DATA_DIR: join(dataDir, 'a'), PORT: '0', SANDBOX_PORT: '0', LOG_LEVEL: 'info' };
    const shown = await inTerminal(['serve'], env, { answers: [['Stop with Ctrl-C.', '\u0003']] });
    expect(shown).toContain('\u001b[32mINFO \u001b[39m listening');
    expect(shown).not.toContain('{"level"');
  });

  test.each<NodeJS.Signals>(isAll ? ['SIGTERM', 'SIGINT'] : ['SIGTERM'])(
    'on %s finishes what is in flight, takes nothing new, and exits with 0',
    async (signal) => {
      const service = await start('serve', 'a', { LOG_LEVEL: 'info' });
      const client = clientOf(demoOf('a'));
      const control = new SandboxControl(demoOf('a').sandboxUrl);
      await control.setFault({ fault: { kind: 'latency', ms: 2_000 } });
      const idle = await openSocket(service.origin);
      const slow = client.post('/tweet/create', { text: `In flight at ${signal}` });
      await expect.poll(() => control.requests('createPosts')).toBe(1);
      const ended = service.end(signal);
      const toldAt = performance.now();
      const knock = () =>
        openSocket(service.origin).then(
          (socket) => void socket.destroy(),
          ({ code }) => code,
        );
      await expect.poll(knock).toBe('ECONNREFUSED');
      const answer = await slow;
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-credits-remaining')).toBe('9.999');
      expect(answer.headers.get('connection')).toBe('close');
      expect(await ended).toBe(0);
      await expect.poll(() => service.log()).toContain('"msg":"stopped"');
      // An idle connection must not delay the stop.
      expect(performance.now() - toldAt).toBeLessThan(9_000);
      idle.destroy();
      const { out } = await postern(['account', 'list', '--json'], { DATA_DIR: join(dataDir, 'a') });
      expect(JSON.parse(out)).toMatchObject([{ id: 'acc_demo', balance: '9.999', held: '0', charged: '0.001' }]);
    },
  );
});

describe('postern sandbox', () => {
  test('is shared by gateways, each with its own credit', async () => {
    const sandbox = await start('sandbox', 'platform');
    const env = { PLATFORM_URL: sandbox.origin, PLATFORM_KIND: 'sandbox' };
    await Promise.all([start('serve', 'a', env), start('serve', 'b', env)]);
    const [a, b] = [demoOf('a'), demoOf('b')];
    expect(a.sandboxUrl).toBe(sandbox.origin);
    expect([b.apiKey, b.accounts]).toEqual([a.apiKey, a.accounts]);
    expect((await clientOf(a).post('/tweet/create', { text: 'Said at one gateway' })).status).toBe(200);
    const heard = await clientOf(b).get('/tweet/advanced_search', { q: '"Said at one gateway"' });
    expect(heard.body.data['tweet_count']).toBe(1);
    expect(heard.headers.get('x-credits-remaining')).toBe('9.999');

    expect(await sandbox.end('SIGTERM')).toBe(0);
    expect((await clientOf(a).get('/user/info', { userName: 'ada' })).status).toBe(502);
    expect((await fetch(a.baseUrl.replace('/v1', '/readyz'))).status).toBe(503);
  });
});
