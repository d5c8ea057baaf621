import { once } from 'node:events';
import { type PosternProcess, startPostern } from '../support/process.ts';

/** `postern serve` as a service manager runs it: whenever it ends, it is started again. */
export class Gateway {
  /** Where it answers; `null` while it does not. */
  origin: string | null = null;
  /** What earlier lives logged last. */
  #logged = '';
  /** Lives that ended although nobody ended them, with what they logged last. */
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

  /** kill -9, wherever it is: in calls, in a start. It starts again by itself, with a clock this far off. */
  async kill(clockMs = 0): Promise<void> {
    this.#clockMs = clockMs;
    this.counts.kills += 1;
    this.origin = null;
    if (!this.#process) return;
    this.#killed.add(this.#process);
    await this.#process.end('SIGKILL');
  }

  /** The end of its log, over all lives. */
  lastWords(): string {
    return `${this.#logged}${this.#process?.log() ?? ''}`.slice(-4_000);
  }

  stopInItsTracks(): void {
    this.#process?.child.kill('SIGSTOP');
  }

  goOn(): void {
    this.#process?.child.kill('SIGCONT');
  }

  /** Resolves once it answers. */
  async ready(withinMs = 30_000): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (this.origin === null) {
      if (performance.now() > deadline) throw new Error(`the gateway does not start: ${this.lastWords()}`);
      await pause(10);
    }
  }

  /** Ends it in good order. Answers the exit code. */
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
