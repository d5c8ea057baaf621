import { once } from 'node:events';
import { type PosternProcess, startPostern } from '../support/process.ts';

/** Runs `postern serve` like a service manager: when the process ends, it is started again. */
export class Gateway {
  /** The URL of the gateway; `null` while it is not available. */
  origin: string | null = null;
  /** The last log lines of earlier processes. */
  #logged = '';
  /** Unexpected ends of the process, with its last log lines. */
  readonly deaths: string[] = [];
  readonly counts = { kills: 0, starts: 0, failedStarts: 0 };
  readonly #env: Record<string, string>;
  readonly #killed = new WeakSet<PosternProcess>();
  #clockMs = 0;
  #process: PosternProcess | null = null;
  #wanted = true;
  #lives: Promise<void>;

  constructor(env: Record<string, string>) {
    this.#env = env;
    this.#lives = this.#live();
  }

  /** Kills the process with SIGKILL at any point of its life. It is started again with a clock that differs by `clockMs`. */
  async kill(clockMs = 0): Promise<void> {
    this.#clockMs = clockMs;
    this.counts.kills += 1;
    this.origin = null;
    if (!this.#process) return;
    this.#killed.add(this.#process);
    await this.#process.end('SIGKILL');
  }

  /** Returns the last log lines of all processes. */
  lastWords(): string {
    return `${this.#logged}${this.#process?.log() ?? ''}`.slice(-4_000);
  }

  stopInItsTracks(): void {
    this.#process?.child.kill('SIGSTOP');
  }

  goOn(): void {
    this.#process?.child.kill('SIGCONT');
  }

  /** Resolves when the gateway responds. */
  async ready(withinMs = 300_000): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (this.origin === null) {
      if (performance.now() > deadline) throw new Error(`the gateway does not start: ${this.lastWords()}`);
      await pause(10);
    }
  }

  /** Stops the process gracefully and returns its exit code. */
  async stop(): Promise<number | null> {
    this.#wanted = false;
    const process = this.#process;
    if (process) this.#killed.add(process);
    const code = (await process?.end('SIGTERM')) ?? null;
    await this.#lives;
    return code;
  }

  async #live(): Promise<void> {
    while (this.#wanted) {
      this.counts.starts += 1;
      const process = startPostern(['serve'], { ...this.#env, ...clockEnv(this.#clockMs) });
      this.#process = process;
      const exited = once(process.child, 'exit');
      const listening = await process.printed(/listening on (\S+)/).catch(() => null);
      if (!this.#killed.has(process)) this.origin = listening?.[1] ?? null;
      await exited;
      this.origin = null;
      this.#logged = this.lastWords();
      this.#process = null;
      if (this.#killed.has(process)) continue;
      if (listening) this.deaths.push(process.log().slice(-2_000));
      else this.counts.failedStarts += 1;
      await pause(200);
    }
  }
}

function clockEnv(clockMs: number): Record<string, string> {
  if (clockMs === 0) return {};
  const clock = new URL('./shifted-clock.mjs', import.meta.url);
  return { NODE_OPTIONS: `--import ${clock.href}`, CLOCK_SHIFT_MS: String(clockMs) };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
