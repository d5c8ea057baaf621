import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Client } from '../support/client.ts';
import { readDemo } from '../support/demo.ts';
import { findMongo, startMongo } from '../support/mongo-server.ts';
import { isAll } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder(undefined, tmpdir());

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
  const unneeded = /\.test\.|\.map$|^(src|test|\.ci|dist\/(?!service|viewer|client))\//;
  expect(paths.filter((path) => unneeded.test(path))).toEqual([]);
});

const installed = join(folder, 'node_modules', 'postern');
mkdirSync(installed, { recursive: true });
execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);

test('the command runs from the package, whose bundle has what it needs', () => {
  const { version } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as { version: string };
  const command = join(installed, 'scripts', 'postern.js');
  expect(execFileSync(process.execPath, [command, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
  // Messages name the command with which it was started. npm makes such a link.
  const link = join(folder, 'postern');
  symlinkSync(command, link);
  for (const [program, name] of [
    [command, `node ${join('node_modules', 'postern', 'scripts', 'postern.js')}`],
    [link, 'postern'],
  ] as const) {
    const { stderr } = spawnSync(process.execPath, [program, 'trigger', 'like', '--to', 'ada'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(stderr).toContain(`\`${name} serve\``);
  }
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

// npm installs the dependencies from the registry.
describe.skipIf(!isAll)('the package in an empty folder', () => {
  // npm installs into the nearest parent folder with a `node_modules`, so this folder is outside of the checkout.
  const home = temporaryFolder(undefined, tmpdir());
  const modules = join(home, 'node_modules');
  const command = join(modules, '.bin', 'postern');
  beforeAll(() => {
    const options = ['--no-audit', '--no-fund', '--no-save'];
    execFileSync('npm', ['install', ...options, join(folder, filename)], {
      cwd: home,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  });

  test('installs at most 30 packages and 45 MiB', () => {
    const listed = execFileSync('npm', ['ls', '--all', '--parseable'], { cwd: home, encoding: 'utf8' });
    expect(listed.trim().split('\n').length - 1).toBeLessThanOrEqual(30);
    const bytes = readdirSync(modules, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(modules, 'postern')))
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
    expect(bytes).toBeLessThan(45 * 1_024 * 1_024);
  });

  const mongo = findMongo();
  test.for(['SQLite', ...(mongo ? ['MongoDB'] : [])])('serves REST, GraphQL, MCP and the CLI on %s', async (store) => {
    const data = join(home, store);
    const quiet = { PORT: '0', SANDBOX_PORT: '0', LOG_LEVEL: 'warn' };
    const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], DATA_DIR: data, ...quiet };
    if (mongo && store === 'MongoDB') {
      const server = await startMongo(mongo);
      onTestFinished(() => server.stop());
      env['MONGODB_URL'] = server.url(`installed_${process.pid}`);
      env['SECRET_KEY'] = randomBytes(32).toString('base64');
    }
    const service = spawn(command, ['serve'], { cwd: home, env });
    onTestFinished(() => void service.kill('SIGKILL'));
    const closed = once(service, 'close');
    await Promise.race([once(service.stdout, 'data'), closed]);
    const demo = readDemo(data);
    const authToken = demo.accounts[0].authToken;
    const client = new Client({ baseUrl: demo.baseUrl, key: demo.apiKey, authToken });
    expect((await client.get('/user/info', { userName: 'grace' })).status).toBe(200);
    const accept = 'application/json, text/event-stream';
    const headers = { ...client.headers, 'content-type': 'application/json', accept };
    const post = async (path: string, body: object) => {
      const url = new URL(path, demo.baseUrl);
      return await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    };
    expect(await post('/graphql', { query: '{ viewer { userName } }' })).toContain('{"viewer":{"userName":"ada"}}');
    expect(await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })).toContain('"tweet_detail"');
    const call = promisify(execFile)(command, ['call', 'user/info', 'userName=grace', '--json'], {
      env: { ...env, POSTERN_URL: demo.baseUrl, POSTERN_API_KEY: demo.apiKey, POSTERN_AUTH_TOKEN: authToken },
    });
    expect((await call).stdout).toContain('"userName":"grace"');
    service.kill('SIGTERM');
    expect((await closed)[0]).toBe(0);
  });
});
