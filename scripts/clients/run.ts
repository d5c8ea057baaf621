// Generates clients from the descriptions that a service serves, and runs one scenario with each against that service.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { clients } from './clients.ts';
import { platforms, startService } from './service.ts';

const help = `Usage: npx tsx scripts/clients/run.ts [--all] [--only NAME,NAME] [--platform NAME]

Generates clients and runs one scenario with each against a service of its own. Needs \`npm run build\`. Without an option
it runs those that need Node and Python only. Everything that is generated or installed goes into a temporary folder.

  --all     also those that need Go, Java and Maven
  --only    these: ${Object.keys(clients).join(', ')}
  --platform  sandbox (the default), or atproto: the AT Protocol's own servers, which .ci/atproto/install installs
  --help    this text
`;

const { values } = parseArgs({
  options: {
    all: { type: 'boolean' },
    only: { type: 'string' },
    platform: { type: 'string', default: 'sandbox' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}
const only = values.only?.split(',');
const unknown = only?.find((name) => !(name in clients));
if (unknown !== undefined) {
  process.stderr.write(`There is no client ${unknown}.\n\n${help}`);
  process.exit(2);
}
if (!(values.platform in platforms)) {
  process.stderr.write(`There is no platform ${values.platform}.\n\n${help}`);
  process.exit(2);
}
const chosen = Object.entries(clients).filter(([name, { inCi }]) => only?.includes(name) ?? (inCi || values.all));

const here = fileURLToPath(new URL('.', import.meta.url));
const commandMs = 15 * 60_000;

/** Runs one command. Returns its exit code and what it printed. */
function run(command, { cwd, env }) {
  return new Promise((resolve) => {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', command], {
      cwd,
      env,
      timeout: commandMs,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.once('close', (code) => resolve({ code, output, errors }));
  });
}

const service = await startService(values.platform);
const rows = [];
const prepared = new Map();
try {
  for (const [name, client] of chosen) {
    if (client.needs && !service.supported.includes(client.needs)) {
      process.stdout.write(`${name}: left out, because the platform does not support ${client.needs}\n`);
      continue;
    }
    const cwd = join(service.folder, client.folder);
    const options = { cwd, env: { ...service.env, HERE: join(here, client.folder), ...client.env } };
    if (!prepared.has(client.folder)) {
      mkdirSync(cwd, { recursive: true });
      cpSync(join(here, client.folder), cwd, { recursive: true });
      prepared.set(client.folder, client.install ? await run(client.install, options) : { code: 0 });
    }
    const installed = prepared.get(client.folder);
    const row = { name, passed: 0, failed: 0 };
    rows.push(row);
    const fail = (what, { output = '', errors = '' }) => {
      row.failed += 1;
      process.stdout.write(`${name}: ${what} failed\n${`${output}${errors}`.slice(-4_000)}\n`);
    };
    if (installed.code !== 0) {
      fail('installation', installed);
      continue;
    }
    const built = await run(client.build, options);
    if (built.code !== 0) {
      fail('generation', built);
      continue;
    }
    row.passed += 1;
    process.stdout.write(`${name}: ok generated and compiled\n`);
    if (!client.run) continue;
    const result = await run(client.run, options);
    const results = [...result.output.matchAll(/^(ok|not ok) .+$/gm)];
    for (const [line, outcome] of results) {
      process.stdout.write(`${name}: ${line}\n`);
      row[outcome === 'ok' ? 'passed' : 'failed'] += 1;
    }
    if (result.code !== 0 || results.length === 0) fail('the scenario', result);
  }
} finally {
  await service.stop();
}

const passed = rows.reduce((sum, row) => sum + row.passed, 0);
const failed = rows.reduce((sum, row) => sum + row.failed, 0);
process.stdout.write('\n');
for (const row of rows) process.stdout.write(`${row.name.padEnd(28)} ${row.passed} passed, ${row.failed} failed\n`);
process.stdout.write(`\nclients on ${values.platform}: ${passed} passed, ${failed} failed\n`);
if (process.env.POSTERN_COUNTS) writeFileSync(process.env.POSTERN_COUNTS, JSON.stringify({ passed, failed }));
process.exitCode = failed > 0 ? 1 : 0;
