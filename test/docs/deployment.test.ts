import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/shared/config/config.ts';
import { isAll } from '../support/repetitions.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const folder = temporaryFolder();

const secretKey = 'hVVFCNXhyhkMfVWbfUDIH7sFdRdo5sYdTtYmQhMXkZc=';
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ').split('\n');

interface Compose {
  services: { gateway: { environment: Record<string, string> } };
}
interface Manifest {
  kind: string;
  data?: Record<string, string>;
}

const pairsOf = (text = '') => Object.fromEntries(text.split(' ').map((pair) => pair.split('=')));

/** The settings of the gateway in each file. Secrets that the operator adds have the form that the file describes. */
const environments: Record<string, () => Record<string, string>> = {
  Dockerfile: () => pairsOf(/^ENV (.*)$/m.exec(read('Dockerfile'))?.[1]),
  'compose.yaml': () => {
    const { environment } = (parse(read('compose.yaml')) as Compose).services.gateway;
    const withDefault = (value: string) => value.replace(/\$\{\w+:-([^}]*)\}/, '$1');
    const filled = Object.entries(environment).map(([name, value]) => [name, withDefault(value)]);
    return { ...Object.fromEntries(filled), SECRET_KEY: secretKey };
  },
  'docs/deploy/kubernetes.yaml': () => {
    const manifests = parseAllDocuments(read('docs/deploy/kubernetes.yaml')).map((each) => each.toJS() as Manifest);
    const MONGODB_URL = 'mongodb://mongo-0.mongo:27017/postern?replicaSet=rs0';
    const secrets = { SECRET_KEY: secretKey, METRICS_TOKEN: 'a-token-for-metrics-0123', MONGODB_URL };
    return { ...manifests.find(({ kind }) => kind === 'ConfigMap')?.data, ...secrets };
  },
  'docs/deploy/postern.service': () => pairsOf(/^Environment=(.*)$/m.exec(read('docs/deploy/postern.service'))?.[1]),
};

describe('the settings of every deployment', () => {
  const documented = read('docs/configuration.md');
  test.each(Object.keys(environments))('%s: exist, and are accepted', (name) => {
    const settings = environments[name]?.() ?? {};
    const names = Object.keys(settings).filter((each) => each !== 'NODE_ENV');
    expect(names.length).toBeGreaterThan(0);
    for (const each of names) expect(documented).toContain(`| \`${each}\` |`);
    expect(() => readConfig({ SANDBOX_PUBLIC: '1', ...settings })).not.toThrow();
  });
});

test('the health check of the image succeeds while the service runs, and fails when it has stopped', async () => {
  const command = JSON.parse(/HEALTHCHECK .* CMD (\[.*\])$/m.exec(read('Dockerfile'))?.[1] ?? '[]') as string[];
  const check = (origin: string) =>
    new Promise<number | null>((resolve) => {
      const env = { ...process.env, PORT: new URL(origin).port };
      spawn(process.execPath, command.slice(1), { env, stdio: 'ignore' }).once('exit', resolve);
    });
  const service = await startService();
  expect(command[0]).toBe('node');
  expect(await check(service.origin)).toBe(0);
  await service.stop();
  expect(await check(service.origin)).toBe(1);
});

const analyze = spawnSync('systemd-analyze', ['--version']).status === 0;
test.skipIf(!analyze)('systemd accepts the unit', () => {
  // The package is not installed here, so that its program is missing.
  const args = ['verify', join(root, 'docs/deploy/postern.service')];
  const { stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  expect(stderr.split('\n').filter((line) => line !== '' && !line.includes('is not executable'))).toEqual([]);
});

// It installs the dependencies twice.
test.skipIf(!isAll)('the commands of the Dockerfile make a program that runs', () => {
  const inImage = (path: string) => join(folder, 'root', path);
  const run = (command: string, cwd: string) => {
    // The folders of the image are below a temporary folder here.
    const text = command.replaceAll(/(?<=^|[\s&])\/(?=source|postern|tmp|data)/g, `${inImage('/')}`);
    const { status, stderr } = spawnSync('sh', ['-c', text], { cwd, encoding: 'utf8' });
    expect(status, `${command}\n${stderr}`).toBe(0);
  };
  const kept = [...read('.dockerignore').matchAll(/^!(.*)$/gm)].map(([, name = '']) => name);
  const context = kept.flatMap((name) =>
    name.includes('*') ? readdirSync(root).filter((each) => /^tsconfig.*\.json$/.test(each)) : [name],
  );
  let cwd = inImage('/');
  mkdirSync(inImage('/tmp'), { recursive: true });
  const end = dockerfile.findLastIndex((line) => line.startsWith('FROM'));
  for (const line of dockerfile.slice(0, end)) {
    const [, instruction, rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    if (instruction === 'WORKDIR') {
      cwd = inImage(rest);
      mkdirSync(cwd, { recursive: true });
    }
    if (instruction === 'COPY') {
      const names = rest === '. .' ? context : rest.split(' ').slice(0, -1);
      for (const name of names) cpSync(join(root, name), join(cwd, name), { recursive: true });
    }
    if (instruction === 'RUN') run(rest, cwd);
  }
  const program = inImage('/postern/scripts/postern.js');
  expect(existsSync(inImage('/postern/src'))).toBe(false);
  const { stdout } = spawnSync(process.execPath, [program, '--version'], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe(`${(JSON.parse(read('package.json')) as { version: string }).version}\n`);
  const settings = { HOST: '127.0.0.1', DATA_DIR: join(folder, 'data'), PATH: process.env['PATH'] ?? '' };
  const doctor = spawnSync(process.execPath, [program, 'doctor'], { cwd: folder, env: settings, encoding: 'utf8' });
  expect(doctor.status, doctor.stdout + doctor.stderr).toBe(0);
});
