import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Machine, well } from '../support/doctor.ts';
import { startPostern } from '../support/process.ts';

let machine: Machine;

beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.end());

describe('a machine on which nothing is wrong', () => {
  test('is told so before the first start, and nothing is made', async () => {
    const { code, states, of } = await machine.examine();
    expect({ code, states }).toEqual({ code: 0, states: well });
    for (const name of ['disk', 'secret_key', 'store']) expect(of(name)[0]?.detail).toContain('made at first start');
    expect(of('platform')[0]?.detail).toContain('starts with the service');
    expect(readdirSync(machine.folder)).toEqual([]);
    mkdirSync(machine.dataDir, { mode: 0o700 });
    expect((await machine.examine()).code).toBe(0);
    expect(readdirSync(machine.dataDir)).toEqual([]);
  });

  test('has one aligned line for each check, and the next step', async () => {
    const { code, out, err } = await machine.run();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    for (const line of lines.slice(0, 8)) expect(line).toMatch(/^ok {4}[a-z_]+ +\S/);
    expect(new Set(lines.slice(0, 8).map((line) => /^ok +\S+ +/.exec(line)?.[0].length)).size).toBe(1);
    expect(lines.at(-1)).toBe('All is well. Next: `node scripts/postern.js serve` starts the service.');
  });

  test('has the state of a running service, here or for another folder', async () => {
    const service = startPostern(['serve'], { DATA_DIR: machine.dataDir, PORT: '0', SANDBOX_PORT: '0' });
    onTestFinished(() => void service.child.kill('SIGKILL'));
    const [, origin = ''] = await service.printed(/listening on (http:\/\/\S+)\n/);
    const { port } = new URL(origin);
    for (const env of [{ PORT: port }, { PORT: '0' }]) {
      const { states, of } = await machine.examine(env);
      expect(states).toEqual(well);
      expect(of('port')[0]?.detail).toMatch(`a Postern service runs at ${origin}, for`);
      expect(of('platform')[0]?.detail).toMatch(/^sandbox at http.*, seed \S+, answers in \d+ ms, its clock agrees/);
      expect(of('store')[0]?.detail).toMatch(/^sqlite: SQLite \d.*durability.*can be written$/);
      expect(of('secret_key')[0]?.detail).toMatch(/secret\.key, mode 0600$/);
    }
    expect((await machine.run({ PORT: port })).out).toContain(`Next: ${origin}/ shows calls to paste`);
    const elsewhere = await machine.examine({ PORT: port, DATA_DIR: join(machine.folder, 'other') });
    expect(elsewhere).toMatchObject({ code: 0, states: { ...well, port: 'warn', platform: 'skip' } });
    expect(await service.end('SIGTERM')).toBe(0);

    rmSync(join(machine.dataDir, 'secret.key'));
    const { states, of } = await machine.examine();
    expect(states).toEqual({ ...well, secret_key: 'fail' });
    expect(of('secret_key')).toMatchObject([{ todo: expect.stringContaining('restore the file from the backup') }]);
  });
});

describe('what is wrong with', () => {
  test('settings is reported for each setting, and dependent checks are skipped', async () => {
    const env = { PORT: 'eighty', LOG_LEVEL: 'loud', SECRET_KEY: 'not-a-key-but-secret' };
    const { code, out, of, states } = await machine.examine(env);
    expect(code).toBe(1);
    expect(of('config').map(({ state }) => state)).toEqual(['fail', 'fail', 'fail']);
    const [first] = of('config');
    expect([first?.detail, first?.todo]).toEqual([expect.stringMatching(/^PORT/), expect.stringMatching(/PORT=/)]);
    expect(states).toMatchObject({ node: 'ok', disk: 'skip', store: 'skip', platform: 'skip' });
    expect(out).not.toContain(env.SECRET_KEY);
    const shown = await machine.run({ HOST: '0.0.0.0' });
    expect(shown.code).toBe(1);
    expect(shown.out).toMatch(/^FAIL {2}config +HOST .*\n +→ use HOST=127\.0\.0\.1.*\n/);
    expect(shown.out).toMatch(/\nFound 1 problem\. Next: .*\n$/);
  });

  test('DATA_DIR', async () => {
    const file = join(machine.folder, 'file');
    writeFileSync(file, '');
    const refused = await machine.examine({ DATA_DIR: file });
    expect(refused.code).toBe(1);
    expect(refused.of('config')).toMatchObject([{ state: 'fail', detail: `DATA_DIR ("${file}") is not a folder` }]);
    const below = await machine.examine({ DATA_DIR: join(file, 'below') });
    expect(below.states).toEqual({ ...well, disk: 'fail', secret_key: 'skip', store: 'skip', clock: 'skip' });
    expect(below.code).toBe(1);
    mkdirSync(machine.dataDir);
    chmodSync(machine.dataDir, 0o755);
    expect((await machine.examine()).of('disk')[0]?.detail).toContain(
      `${join(machine.dataDir, 'postern')}, not there yet`,
    );
    mkdirSync(join(machine.dataDir, 'postern'), { mode: 0o700 });
    expect((await machine.examine()).states).toEqual(well);
    chmodSync(join(machine.dataDir, 'postern'), 0o755);
    const { code, of } = await machine.examine();
    expect(code).toBe(0);
    expect(of('disk')).toMatchObject([{ state: 'warn', todo: `chmod 700 ${join(machine.dataDir, 'postern')}` }]);
  });

  // root may access everything.
  test.skipIf(process.getuid?.() === 0)('the rights on DATA_DIR', async () => {
    chmodSync(machine.folder, 0o500);
    const missing = (await machine.examine()).of('disk')[0];
    expect(missing?.detail).toMatch(/is not there, and .* cannot be written \(EACCES\)/);
    chmodSync(machine.folder, 0o700);
    mkdirSync(machine.dataDir, { mode: 0o500 });
    expect((await machine.examine()).of('disk')[0]?.detail).toMatch(/data cannot be written \(EACCES\)/);
  });

  test('the file of the secret key', async () => {
    mkdirSync(machine.dataDir, { mode: 0o700 });
    const path = join(machine.dataDir, 'secret.key');
    const key = createHash('sha256').update('a key').digest('base64');
    writeFileSync(path, `${key}\n`, { mode: 0o600 });
    expect((await machine.examine()).states).toEqual(well);
    chmodSync(path, 0o644);
    const readable = await machine.examine();
    expect(readable.code).toBe(1);
    expect(readable.of('secret_key')).toMatchObject([{ state: 'fail', todo: `chmod 600 ${path}` }]);
    for (const wrong of ['', key.slice(0, 20), `${key.slice(0, 10)}!${key.slice(10)}`]) {
      writeFileSync(path, wrong);
      const { of, out } = await machine.examine();
      const detail = `${path} does not contain 32 bytes in base64`;
      expect(of('secret_key')).toMatchObject([{ state: 'fail', detail }]);
      expect(out).not.toContain(key.slice(0, 10));
    }
    const given = await machine.examine({ SECRET_KEY: key });
    expect(given.of('secret_key')).toMatchObject([{ state: 'ok', detail: 'SECRET_KEY of the environment: one key' }]);
    expect(given.out).not.toContain(key);
  });

  test('the collector of traces', async () => {
    const port = await machine.listenHttp((_request, response) => response.writeHead(404).end());
    const there = await machine.examine({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    expect(there.states).toEqual({ ...well, traces: 'ok' });
    const away = await machine.examine({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    expect({ code: away.code, states: away.states }).toEqual({ code: 0, states: { ...well, traces: 'warn' } });
    const grpc = await machine.examine({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
    expect(grpc.of('config')[0]?.detail).toContain('is not one of http/protobuf, http/json');
  });
});
