import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { Demo } from '../../src/api/demo/demo.ts';
import { Client } from '../support/client.ts';
import { isAll } from '../support/repetitions.ts';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'postern-pack-'));
afterAll(() => rmSync(folder, { recursive: true }));

// The build of `npm test` is packed, because a build now would change files that other tests use.
const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
const printed = execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const [{ filename, files }] = JSON.parse(printed) as [{ filename: string; files: { path: string }[] }];

test('the package contains only files that are needed at run time', () => {
  const paths = files.map(({ path }) => path);
  expect(paths).toContain('dist/service/postern.js');
  expect(paths).toContain('dist/service/LICENSES.txt');
  expect(paths).toContain('schema/openapi.json');
  expect(paths).toEqual(expect.arrayContaining(['dist/client/index.js', 'dist/client/endpoints.d.ts']));
  expect(
    paths.filter((path) => /\.test\.|\.map$|^(src|test|\.ci|dist\/(?!service|viewer|client))\//.test(path)),
  ).toEqual([]);
});

const installed = join(folder, 'node_modules', 'postern');
mkdirSync(installed, { recursive: true });
execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);

test('the command runs from the package, whose bundle has what it needs', () => {
  const { version } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as { version: string };
  const command = join(installed, 'scripts', 'postern.js');
  expect(execFileSync(process.execPath, [command, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
});

test('postern/webhooks works without the dependencies of the package, types included', () => {
  const program = `
    import { fetchReceiver, verify, type WebhookEvent } from 'postern/webhooks';
    const onEvent = (event: WebhookEvent) => console.log(event.type === 'tweet.like' ? event.actor_ids.length : event.id);
    export const handler: (request: Request) => Promise<Response> = fetchReceiver({ secret: 'a-secret', onEvent });
    export const eventId: string = verify(new ArrayBuffer(0), new Headers(), ['a-secret']).eventId;
  `;
  const compilerOptions = { noEmit: true, strict: true, module: 'nodenext', lib: ['es2022', 'dom'], types: [] };
  writeFileSync(join(folder, 'program.mts'), program);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.mts'] }));
  execFileSync(process.execPath, [join(cwd, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder]);
  const call =
    "import('postern/webhooks').then(({ answerCrc }) => console.log(answerCrc('abc', 'Jefe').response_token))";
  const output = execFileSync(process.execPath, ['--eval', call], { cwd: folder, encoding: 'utf8' });
  expect(output).toBe('sha256=fPTsT3QfUcsNiHATxGJR1vQXVkPE9CKQahquxojME+g=\n');
});

// It installs the dependencies from the registry.
test.skipIf(!isAll)('npm installs the package into an empty folder, where it serves calls', async () => {
  // npm installs into the nearest parent folder with a `node_modules`, so this folder is outside of the checkout.
  const home = mkdtempSync(join(tmpdir(), 'postern-installed-'));
  onTestFinished(() => rmSync(home, { recursive: true, maxRetries: 5 }));
  const options = ['--no-audit', '--no-fund', '--no-save'];
  execFileSync('npm', ['install', ...options, join(folder, filename)], {
    cwd: home,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  expect(existsSync(join(home, 'node_modules', 'vitest'))).toBe(false);
  const env = {
    PATH: process.env['PATH'],
    DATA_DIR: join(home, 'data'),
    PORT: '0',
    SANDBOX_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const service = spawn(join(home, 'node_modules', '.bin', 'postern'), ['serve'], { cwd: home, env });
  onTestFinished(() => void service.kill('SIGKILL'));
  const closed = once(service, 'close');
  await Promise.race([once(service.stdout, 'data'), closed]);
  const demo = JSON.parse(readFileSync(join(home, 'data', 'demo.json'), 'utf8')) as Demo;
  const client = new Client({
    baseUrl: demo.baseUrl,
    key: demo.apiKey,
    authToken: demo.accounts[0]?.authToken ?? '',
  });
  expect((await client.get('/user/info', { userName: 'grace' })).status).toBe(200);
  service.kill('SIGTERM');
  expect((await closed)[0]).toBe(0);
});
