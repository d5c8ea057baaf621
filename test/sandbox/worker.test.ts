import { expect, test } from 'vitest';
import { request } from './harness.ts';

// The built file is used, because a worker thread loads JavaScript.
const built = new URL('../../dist/sandbox/worker-host.js', import.meta.url).href;
const { startSandboxWorker }: typeof import('../../src/sandbox/worker-host.ts') = await import(built);

test('runs in its own thread, rejects with the original error, and ends when it is closed', async () => {
  const sandbox = await startSandboxWorker({ port: 0, dataDir: null });
  const exits: Error[] = [];
  sandbox.onExit((error) => exits.push(error));
  expect((await request(sandbox.url, 'GET', '/control/info')).status).toBe(200);
  await expect(startSandboxWorker({ port: sandbox.port, dataDir: null })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    port: sandbox.port,
  });
  await sandbox.close();
  await sandbox.close();
  await expect(request(sandbox.url, 'GET', '/control/info')).rejects.toThrow();
  expect(exits).toEqual([]);
});
