// A service of its own for the clients: free ports, a temporary folder, an account with credit.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('../postern.js', import.meta.url));

/** Starts a service. Returns the environment that the clients read, a folder for their work, and `stop`. */
export async function startService() {
  const folder = mkdtempSync(join(tmpdir(), 'postern-clients-'));
  const env = { ...process.env, DATA_DIR: join(folder, 'data'), PORT: '0', SANDBOX_PORT: '0', LOG_LEVEL: 'warn' };
  const service = spawn(process.execPath, [command, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => service.once('exit', resolve));
  const stop = async () => {
    service.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const file = join(folder, 'data', 'demo.json');
    for (let tries = 0; !existsSync(file); tries++) {
      if (tries === 600 || service.exitCode !== null) throw new Error('the service did not start');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const demo = JSON.parse(readFileSync(file, 'utf8'));
    const run = (...words) => JSON.parse(execFileSync(process.execPath, [command, ...words, '--json'], { env }));
    const { id } = run('account', 'create', '--name', 'Clients', '--credits', '10');
    const { key } = run('key', 'create', '--account', id);
    const openApi = join(folder, 'openapi.json');
    const origin = new URL(demo.baseUrl).origin;
    writeFileSync(openApi, await (await fetch(`${origin}/openapi.json`)).text());
    return {
      folder,
      stop,
      env: {
        ...process.env,
        OPENAPI: openApi,
        GRAPHQL_SCHEMA: fileURLToPath(new URL('../../schema/schema.graphql', import.meta.url)),
        POSTERN_URL: demo.baseUrl,
        POSTERN_GRAPHQL_URL: demo.graphqlUrl,
        POSTERN_KEY: key,
        POSTERN_ACTOR: demo.accounts[0].authToken,
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
