// The attacked service.
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Demo, readDemo } from '../../../test/support/demo.ts';
import { makeKeys, mebibytes, programOf, type Settings, type Started, start, temporaryFolder } from '../processes.ts';
import type { Figures, Reply } from './probe.ts';

interface Waiting {
  resolve: (figures: Figures) => void;
  reject: (error: Error) => void;
}

/** The attacked service in its own folder, with three accounts: the attacker's, one without credit, and one that must not be affected. */
export class Service {
  readonly url: string;
  readonly platform: Settings;
  readonly keys: Record<string, string>;
  readonly demo: Demo | null;
  /** The reason why the service can no longer be used. */
  ended: string | null = null;
  readonly #started: Started;
  readonly #folder: string;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;

  static async start(platform: Settings): Promise<Service> {
    const folder = temporaryFolder();
    const settings = {
      NODE_ENV: 'production',
      DATA_DIR: folder,
      PORT: '0',
      RATE_LIMIT: '0',
      FAILED_CALL_RATE_LIMIT: '0',
      OUTBOUND_ALLOW: '127.0.0.0/8',
      ALLOW_LOCALHOST_WEBHOOKS: '1',
      // The defaults.
      MAX_REQUESTS_IN_FLIGHT: '',
      MAX_CONCURRENT_REQUESTS: '',
      ...platform,
    };
    const execArgv = ['--expose-gc', '--import', await programOf('bench/hostile/probe.ts')];
    const log = join(folder, 'log');
    const started = await start('../dist/cli/main.js', ['serve'], settings, { log, execArgv, ipc: true });
    const [rich = '', poor = '', other = ''] = await makeKeys(folder, [1_000, 0, 1_000]);
    return new Service(started, folder, platform, { rich, poor, other });
  }

  private constructor(started: Started, folder: string, platform: Settings, keys: Record<string, string>) {
    this.#started = started;
    this.#folder = folder;
    this.url = started.url;
    this.platform = platform;
    this.keys = keys;
    this.demo = existsSync(join(folder, 'demo.json')) ? readDemo(folder) : null;
    const { child } = started;
    child.on('message', ({ id, ...figures }: Reply) => this.#waiting.get(id)?.resolve(figures));
    child.once('exit', (code, signal) => {
      this.ended ??= `the service died (${signal ?? `exit ${code}`})`;
      for (const { reject } of this.#waiting.values()) reject(new Error(this.ended));
    });
  }

  /** The size of the service's folder in MiB. */
  get diskMiB(): number {
    const sizes = readdirSync(this.#folder, { encoding: 'utf8', recursive: true }).map(
      (name) => statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0,
    );
    return sizes.reduce((sum, size) => sum + size, 0) / 1024 / 1024;
  }

  /** Begins a new measurement, or returns the figures since its beginning. */
  async ask(verb: 'reset' | 'read'): Promise<Figures> {
    if (this.ended) throw new Error(this.ended);
    const id = this.#nextId++;
    const answer = new Promise<Figures>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#started.child.send({ id, verb }, () => {});
    return answer.finally(() => this.#waiting.delete(id));
  }

  /** Kills the service if it exceeds a limit. Returns a function that ends the watch. */
  watch({ seconds, mebibytes: limit }: { seconds: number; mebibytes: number }): () => void {
    const endsAt = Date.now() + seconds * 1_000;
    const watching = setInterval(() => {
      if (Date.now() > endsAt) this.#kill(`stopped by the watchdog after ${seconds} s`);
      if (mebibytes(this.#started) > limit) this.#kill(`stopped by the watchdog at ${limit} MiB`);
    }, 100);
    return () => clearInterval(watching);
  }

  #kill(reason: string): void {
    if (this.ended) return;
    this.ended = reason;
    this.#started.child.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    const { child } = this.#started;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    this.#kill('ended');
    await gone;
  }
}
