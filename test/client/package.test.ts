import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { scriptedServer, success } from './scripted-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = temporaryFolder(undefined, tmpdir());

const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

/** The package postern-client is packed and installed into an empty folder, as its users do. */
const [{ filename }] = JSON.parse(npm('pack', '--json', join(root, 'dist', 'client'))) as [{ filename: string }];
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
npm('install', '--offline', '--no-audit', '--no-fund', `./${filename}`);

test('the package is the only one that is installed, and has only files that are needed', () => {
  const modules = join(folder, 'node_modules');
  expect(readdirSync(modules).filter((name) => !name.startsWith('.'))).toEqual(['postern-client']);
  const files = readdirSync(join(modules, 'postern-client'), { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'LICENSES.txt', 'index.js', 'index.d.ts']));
  const scripts = files.filter((name) => name.endsWith('.js'));
  expect(scripts.sort()).toEqual(['index.js', 'webhooks/index.js']);
  for (const name of scripts)
    expect(readFileSync(join(modules, 'postern-client', name), 'utf8')).not.toMatch(
      /node:|\brequire\(|\bprocess\.|\bBuffer\b/,
    );
});

const program = `
import { List, NotFoundError, Postern, type StreamEvent, type Tweet } from 'postern-client';
import { answerCrc, type WebhookEvent } from 'postern-client/webhooks';
const postern = new Postern({ baseUrl: String(process.argv[2]), apiKey: 'key', authToken: 'token' });
const { data, retries }: { data: { id: string }; retries: number } = await postern.tweet.create({ text: 'Hello' }).withResponse();
export const list: List<{ next_cursor: string | null }, Tweet> = postern.tweet.advancedSearch({ q: 'loom' });
export const typeOf = (event: StreamEvent | WebhookEvent): string => (event.type === 'tweet.like' ? event.tweet_id : event.type);
// @ts-expect-error The field is missing.
postern.tweet.detail({}).catch((error: unknown) => console.log(error instanceof NotFoundError));
console.log(JSON.stringify([data, retries, answerCrc('abc', 'Jefe').response_token.length]));
`;

test('the package runs, and its types resolve with Node16 and bundlers', async () => {
  const { baseUrl } = await scriptedServer([success]);
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const declared = 'declare const process: { argv: string[] };\ndeclare const console: { log(text: unknown): void };\n';
  writeFileSync(join(folder, 'program.ts'), declared + program);
  const common = { strict: true, target: 'es2022', types: [], exactOptionalPropertyTypes: true, skipLibCheck: false };
  for (const options of [
    { module: 'node16', moduleResolution: 'node16', lib: ['es2022', 'dom', 'dom.asynciterable'] },
    { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.iterable'] },
  ]) {
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...common, ...options }, files: ['program.ts'] }),
    );
    execFileSync(process.execPath, [compiler, '-p', folder], { stdio: ['ignore', 2, 2] });
  }
  const printed = await new Promise<string>((resolve, reject) =>
    execFile(process.execPath, ['program.js', baseUrl], { cwd: folder }, (error, output) =>
      error ? reject(error) : resolve(output),
    ),
  );
  expect(printed).toContain('[{"id":"1"},0,51]');
});
