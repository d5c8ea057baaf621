// Attacks every surface of the product: the tests of the list in security/surfaces.ts, and the attacks of bench/hostile.ts.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { readArguments } from './bench/frame.ts';
import { seeded } from './bench/open-loop.ts';
import { type Surface, surfaces } from './security/surfaces.ts';

/** The results of a test file in the JSON report of Vitest. */
interface FileResult {
  name: string;
  status: string;
  message: string;
  assertionResults: { fullName: string; status: string }[];
}

const root = dirname(import.meta.dirname);
const names = Object.keys(surfaces);

const values = readArguments(
  `npm run check -- security [--surface NAME]... [--hostile 24] [--stop-ms 100] [--all] [--seed 1a2b3c4d]

Attacks the built product and its parts: runs the tests of every surface, and attacks a running service with hostile requests. Prints a
line for each surface with the number of attacks and how many were held. An attack is not held if its test fails, or if it exceeds a
target of bench -- hostile. The exit status is then 1.

  --surface  only this surface: ${names.join(', ')}
  --hostile  number of hostile requests, chosen by the seed; each file of them has at least one
  --stop-ms  the target of bench -- hostile for the longest stop of the event loop; more on a busy machine
  --all      all hostile requests, and the tests in browsers; takes about half an hour
  --seed     repeats a run: the hostile requests, and the order and the choices of the tests`,
  {
    surface: { type: 'string', multiple: true },
    hostile: { type: 'string', default: '24' },
    'stop-ms': { type: 'string', default: '100' },
    all: { type: 'boolean', default: false },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
  },
);
for (const name of values.surface ?? []) {
  if (names.includes(name)) continue;
  process.stderr.write(`security: no surface ${name}. There are ${names.join(', ')}\n`);
  process.exit(2);
}
const chosen = Object.entries(surfaces).filter(([name]) => !values.surface || values.surface.includes(name));
const testsOf = ({ tests, browser = [] }: Surface) =>
  [...tests, ...(values.all ? browser : [])].map((name) => `test/${name}.test.ts`);
process.stdout.write(`security: ${chosen.length} surfaces, --seed ${values.seed} repeats the choice of attacks\n`);
const tests = await runTests(chosen.flatMap(([, surface]) => testsOf(surface)));
const hostile = await chooseHostile();
const faultsOf = await runHostile([...hostile.values()].flat());
const results = chosen.map(resultOf);
for (const { name, tried, held } of results) {
  process.stdout.write(`${name.padEnd(14)} ${String(tried).padStart(5)} attacks, ${String(held).padStart(5)} held\n`);
}
const broken = results.flatMap(({ faults }) => faults);
for (const fault of broken) process.stderr.write(`security: not held: ${fault}\n`);
process.exitCode = broken.length > 0 ? 1 : 0;

/** Runs test files, and returns their results by file. */
async function runTests(files: string[]): Promise<Map<string, FileResult>> {
  const folder = mkdtempSync(join(tmpdir(), 'postern-security-'));
  const output = join(folder, 'results.json');
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const args = [vitest, 'run', '--mode', values.all ? 'all' : 'security', '--reporter=dot', '--reporter=json'];
  const seed = Number.parseInt(values.seed, 16);
  const options = [`--outputFile.json=${output}`, '--sequence.shuffle.files', `--sequence.seed=${seed}`];
  try {
    await run([...args, ...options, ...files], { env: { SECURITY_SEED: values.seed } });
    const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as { testResults: FileResult[] };
    return new Map(testResults.map((result) => [relative(root, result.name), result]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the hostile requests by the file that they are in. */
async function chooseHostile(): Promise<Map<string, string[]>> {
  const files = chosen.flatMap(([, { attacks = [] }]) => attacks);
  const all = new Map<string, string[]>();
  for (const file of files) {
    const { attacks } = (await import(`./bench/hostile/attacks/${file}.ts`)) as { attacks: object };
    all.set(file, Object.keys(attacks));
  }
  if (values.all) return all;
  const total = [...all.values()].flat().length;
  const share = Math.min(1, Number(values.hostile) / total);
  const random = seeded(Number.parseInt(values.seed, 16));
  return new Map(
    [...all].map(([file, attacks]) => {
      const ranked = attacks.map((name) => [random(), name] as const).sort(([a], [b]) => a - b);
      const count = Number(values.hostile) === 0 ? 0 : Math.max(1, Math.round(attacks.length * share));
      return [file, ranked.slice(0, count).map(([, name]) => name)];
    }),
  );
}

/** Sends hostile requests to a service. Returns the faults of each request by its name. */
async function runHostile(names: string[]): Promise<Map<string, string[]>> {
  if (names.length === 0) return new Map();
  const script = join(import.meta.dirname, 'bench.ts');
  const options = ['--json', '--stop-ms', values['stop-ms'], ...names.flatMap((name) => ['--only', name])];
  const output = await run([...process.execArgv, script, 'hostile', ...options], { captures: true });
  const results = output.split('\n').filter((line) => line.startsWith('{'));
  return new Map(
    results
      .map((line) => JSON.parse(line) as { name: string; faults: string[] })
      .map((each) => [each.name, each.faults]),
  );
}

function resultOf([name, surface]: [string, Surface]) {
  const requests = (surface.attacks ?? []).flatMap((file) => hostile.get(file) ?? []);
  const results = [
    ...testsOf(surface).flatMap(casesOf),
    ...requests.map((request) => {
      const faults = faultsOf.get(request) ?? ['the attack did not run'];
      return { name: `${request}: ${faults.join(', ')}`, held: faults.length === 0 };
    }),
  ];
  const faults = results.filter(({ held }) => !held).map((each) => `${name}: ${each.name}`);
  return { name, tried: results.length, held: results.length - faults.length, faults };
}

function casesOf(file: string): { name: string; held: boolean }[] {
  const result = tests.get(file);
  if (!result) return [{ name: `${file} did not run`, held: false }];
  const cases = result.assertionResults.filter(({ status }) => status === 'passed' || status === 'failed');
  if (result.status !== 'passed' && cases.every(({ status }) => status === 'passed')) {
    return [{ name: `${file}: ${result.message}`, held: false }];
  }
  return cases.map(({ fullName, status }) => ({ name: `${file}: ${fullName}`, held: status === 'passed' }));
}

/** Runs a Node program. With `captures`, its output is returned instead of shown. */
function run(
  args: string[],
  { env = {}, captures = false }: { env?: Record<string, string>; captures?: boolean } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', captures ? 'pipe' : 'inherit', 'inherit'],
    });
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    child.once('close', () => resolve(output));
  });
}
