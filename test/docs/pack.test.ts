import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const cwd = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'postern-pack-'));
afterAll(() => rmSync(folder, { recursive: true }));

// As `npm test` leaves it, so that it is not built beside tests that run what is there.
const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
const printed = execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const [{ filename, files }] = JSON.parse(printed) as [{ filename: string; files: { path: string }[] }];

test('the package holds what runs, and nothing that only builds', () => {
  const paths = files.map(({ path }) => path);
  expect(paths).toContain('dist/main/serve.js');
  expect(paths).toContain('schema/openapi.json');
  expect(paths.filter((path) => /tsbuildinfo|\.test\.|^(src|test|\.ci)\//.test(path))).toEqual([]);
});

test('postern/webhooks works without the dependencies of the package, types included', () => {
  const installed = join(folder, 'node_modules', 'postern');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
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
}, 60_000);
