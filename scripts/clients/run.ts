// Generates clients from the descriptions that a service serves, and runs one scenario with each against that service.
import { spawn } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '../bench/frame.ts';
import { platforms, startService } from './service.ts';

interface Client {
  /** A key of `installations` and a folder beside this file. Clients of one folder share a temporary copy and its installation. */
  folder: string;
  /** Generates and compiles the client. */
  build: string;
  /** Prints `ok` or `not ok` for each step. */
  run: string;
  /** The only platform of the client. All platforms by default. */
  platform?: string;
}

interface Outcome {
  code: number | null;
  output: string;
}

/** Commands are for bash. `OPENAPI` is the path of the document. */
const installations: Record<string, string> = {
  node: 'npm install --no-package-lock --ignore-scripts --no-audit --no-fund --no-engine-strict && npm run --silent generate',
  python: 'python3 -m venv .venv && .venv/bin/pip install -q --disable-pip-version-check -r requirements.txt',
};
const clients: Record<string, Client> = {
  'openapi-typescript + fetch': { folder: 'node', build: 'npm run --silent check', run: 'npx tsx openapi-fetch.ts' },
  '@hey-api/openapi-ts': { folder: 'node', build: 'test -d generated/hey-api', run: 'npx tsx hey-api.ts' },
  'GraphQL: codegen, Apollo, urql': {
    folder: 'node',
    build: 'test -s generated/graphql.ts',
    run: 'npx tsx graphql-clients.ts',
  },
  'openapi-python-client': {
    folder: 'python',
    build:
      'PATH="$PWD/.venv/bin:$PATH" openapi-python-client generate --path "$OPENAPI" --output-path postern_client --meta none --fail-on-warning',
    run: '.venv/bin/python openapi_python_client.py',
  },
  // X's own clients call the sandbox, because it serves X's API.
  '@xdevplatform/xdk': { folder: 'node', build: 'true', run: 'npx tsx xdk.ts', platform: 'sandbox' },
  xdk: { folder: 'python', build: 'true', run: '.venv/bin/python xdk_client.py', platform: 'sandbox' },
};

const values = readArguments(
  `npx tsx scripts/clients/run.ts [--only NAME]... [--platform ${Object.keys(platforms).join('|')}]

Generates clients and runs one scenario with each against a service of its own. Needs \`npm run build\`, Node and Python. Everything that is
generated or installed goes into a temporary folder. .ci/atproto/install installs the servers of the platform atproto.

  --only    ${Object.keys(clients).join(', ')}`,
  { only: { type: 'string', multiple: true }, platform: { type: 'string', default: 'sandbox' } },
);
const commandMs = 15 * 60_000;

const service = await startService(values.platform);
const rows: { name: string; passed: number; failed: number }[] = [];
const installed = new Map<string, Outcome>();
for (const [name, { folder, build, run, platform }] of Object.entries(clients)) {
  if ((values.only && !values.only.includes(name)) || (platform ?? values.platform) !== values.platform) continue;
  const row = { name, passed: 0, failed: 0 };
  rows.push(row);
  const cwd = join(service.folder, folder);
  if (!installed.has(folder)) {
    cpSync(join(import.meta.dirname, folder), cwd, { recursive: true });
    installed.set(folder, await execute(installations[folder] ?? '', cwd));
  }
  const fail = (what: string, { output }: Outcome) => {
    row.failed += 1;
    process.stdout.write(`${name}: ${what} failed\n${output.slice(-4_000)}\n`);
  };
  const installation = installed.get(folder);
  if (installation?.code !== 0) {
    fail('installation', installation ?? { code: null, output: '' });
    continue;
  }
  const built = await execute(build, cwd);
  if (built.code !== 0) {
    fail('generation', built);
    continue;
  }
  row.passed += 1;
  process.stdout.write(`${name}: ok generated and compiled\n`);
  const result = await execute(run, cwd);
  const steps = [...result.output.matchAll(/^(ok|not ok) .+$/gm)];
  for (const [line, outcome] of steps) {
    process.stdout.write(`${name}: ${line}\n`);
    row[outcome === 'ok' ? 'passed' : 'failed'] += 1;
  }
  if (result.code !== 0 || steps.length === 0) fail('the scenario', result);
}
await service.stop();

const passed = rows.reduce((sum, row) => sum + row.passed, 0);
const failed = rows.reduce((sum, row) => sum + row.failed, 0);
for (const row of rows) process.stdout.write(`${row.name.padEnd(32)} ${row.passed} passed, ${row.failed} failed\n`);
process.stdout.write(`clients on ${values.platform}: ${passed} passed, ${failed} failed\n`);
const counts = process.env['POSTERN_COUNTS'];
if (counts) writeFileSync(counts, JSON.stringify({ passed, failed }));
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function execute(command: string, cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', `exec 2>&1; ${command}`], {
      cwd,
      env: service.env,
      timeout: commandMs,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.once('close', (code) => resolve({ code, output }));
  });
}
