// Starts a service for the clients with free ports, a temporary folder and an account with credit.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { joinNetwork, startAtprotoNetwork } from '../atproto-network.ts';

const command = fileURLToPath(new URL('../postern.js', import.meta.url));

/**
 * The platforms. `prepare` returns the settings of the service, `stop`, and a function that returns the credentials of the actor and the
 * name of another user with at least ten tweets.
 */
export const platforms = {
  async sandbox() {
    const users = (dataDir) => {
      const { accounts } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
      return { actor: accounts[0].authToken, otherUser: accounts[1].userName };
    };
    return { settings: { SANDBOX_PORT: '0' }, users, stop: async () => {} };
  },
  async atproto() {
    const { settings, stop, ...network } = await startAtprotoNetwork();
    try {
      const ada = await joinNetwork(network, 'ada');
      const grace = await joinNetwork(network, 'grace', 12);
      const forReceivers = { ALLOW_LOCALHOST_WEBHOOKS: '1' };
      return {
        settings: { ...settings, ...forReceivers },
        users: () => ({ actor: ada.authToken, otherUser: grace.handle }),
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

/** Resolves with the address that the service prints. */
function listening(service) {
  return new Promise((resolve, reject) => {
    let output = '';
    service.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${output}`)));
    service.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /listening on (http:\S+)/.exec(output);
      if (found) resolve(found[1]);
    });
  });
}

/** Starts a service. Returns the environment of the clients, a folder for their files, the supported actions and `stop`. */
export async function startService(platformName) {
  const platform = await platforms[platformName]();
  const folder = mkdtempSync(join(tmpdir(), 'postern-clients-'));
  const dataDir = join(folder, 'data');
  const env = { ...process.env, ...platform.settings, DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' };
  const service = spawn(process.execPath, [command, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => service.once('exit', resolve));
  const stop = async () => {
    service.kill('SIGTERM');
    await ended;
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const origin = await listening(service);
    const run = (...words) => JSON.parse(execFileSync(process.execPath, [command, ...words, '--json'], { env }));
    const { id } = run('account', 'create', '--name', 'Clients', '--credits', '10');
    const { key } = run('key', 'create', '--account', id);
    const openApi = join(folder, 'openapi.json');
    writeFileSync(openApi, await (await fetch(`${origin}/openapi.json`)).text());
    const { actor, otherUser } = platform.users(dataDir);
    const { data } = await (
      await fetch(`${origin}/v1/capabilities`, { headers: { authorization: `Bearer ${key}` } })
    ).json();
    return {
      folder,
      stop,
      supported: data.actions.flatMap(({ name, supported }) => (supported ? [name] : [])),
      env: {
        ...process.env,
        OPENAPI: openApi,
        GRAPHQL_SCHEMA: fileURLToPath(new URL('../../schema/schema.graphql', import.meta.url)),
        POSTERN_URL: `${origin}/v1`,
        POSTERN_GRAPHQL_URL: `${origin}/graphql`,
        POSTERN_KEY: key,
        POSTERN_ACTOR: actor,
        POSTERN_OTHER_USER: otherUser,
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
