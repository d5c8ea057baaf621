import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { postern } from './command.ts';

interface Check {
  name: string;
  state: string;
  detail: string;
  todo: string | null;
}

/** The findings of the doctor if there are no problems. */
export const well = {
  config: 'ok',
  node: 'ok',
  disk: 'ok',
  secret_key: 'ok',
  store: 'ok',
  clock: 'ok',
  port: 'ok',
  platform: 'ok',
};

/** An environment for the doctor: an empty folder in which DATA_DIR does not exist yet, and servers that are stopped at the end. */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'postern-doctor-'));
  readonly dataDir = join(this.folder, 'data');
  readonly #servers: Server[] = [];

  run(env: Record<string, string> = {}, ...args: string[]) {
    return postern(['doctor', ...args], { DATA_DIR: this.dataDir, PORT: '0', SANDBOX_PORT: '0', ...env });
  }

  async examine(env: Record<string, string> = {}) {
    const { code, out, err } = await this.run(env, '--json');
    expect(err).toBe('');
    const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: Check[] };
    expect(ok).toBe(code === 0);
    for (const check of checks) {
      const advises = check.state === 'warn' || check.state === 'fail';
      expect(check).toEqual({ ...check, todo: advises ? expect.stringMatching(/\w/) : null });
    }
    const states = Object.fromEntries(checks.map(({ name, state }) => [name, state]));
    const of = (name: string) => checks.filter((check) => check.name === name);
    return { code, out, states, of };
  }

  /** Starts the server and returns its port. */
  async listen(server: Server): Promise<string> {
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return String((server.address() as AddressInfo).port);
  }

  listenHttp(listener: RequestListener): Promise<string> {
    return this.listen(createServer(listener));
  }

  end(): void {
    for (const server of this.#servers) server.close();
    chmodSync(this.folder, 0o700);
    rmSync(this.folder, { recursive: true, maxRetries: 5 });
  }
}
