import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PosternProcess, startPostern } from '../support/process.ts';

/** The clock of one or more gateways. It can be moved while they run. */
export class GatewayClock {
  readonly #directory = mkdtempSync(join(tmpdir(), 'postern-clock-'));
  readonly #file = join(this.#directory, 'shift');

  get env(): Record<string, string> {
    const program = new URL('./shifted-clock.mjs', import.meta.url);
    return { NODE_OPTIONS: `--import ${program.href}`, CLOCK_SHIFT_FILE: this.#file };
  }

  /** Sets the difference to the clock of this process in milliseconds. */
  shift(ms: number): void {
    writeFileSync(`${this.#file}.new`, String(ms));
    renameSync(`${this.#file}.new`, this.#file);
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true });
  }
}

/** Runs `postern serve` like a service manager: when the process ends, it is started again. */
export class Gateway {
  /** The URL of the gateway; `null` while it is not available. */
  origin: string | null = null;
  /** The last log lines of earlier processes. */
  #logged = '';
  /** Unexpected ends of the process, with its last log lines. */
  readonly deaths: string[] = [];
  readonly counts = { kills: 0, failedStarts: 0 };
  /** The times in milliseconds from each kill until the gateway listened again. */
  readonly restartsMs: number[] = [];
  readonly clock: GatewayClock;
  readonly #env: Record<string, string>;
  readonly #killed = new WeakSet<PosternProcess>();
  #program: string | undefined;
  #killedAt: number | null = null;
  #process: PosternProcess | null = null;
  #wanted = true;
  #lives: Promise<void>;

  /** Starts a gateway. `program` is the file of another version. */
  constructor(env: Record<string, string>, clock: GatewayClock, program?: string) {
    this.#env = env;
    this.clock = clock;
    this.#program = program;
    this.#lives = this.#live();
  }

  /** Kills the process with SIGKILL at any point of its life. It is started again. */
  async kill(): Promise<void> {
    this.counts.kills += 1;
    this.#killedAt = performance.now();
    await this.#end('SIGKILL');
  }

  /** Stops the process gracefully and starts another version, which replaces it. */
  async replace(program: string | undefined): Promise<void> {
    this.#program = program;
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.origin = null;
    if (!this.#process) return;
    this.#killed.add(this.#process);
    await this.#process.end(signal);
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
  async ready(withinMs = 900_000): Promise<void> {
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
      const process = startPostern(['serve'], { ...this.#env, ...this.clock.env }, this.#program);
      this.#process = process;
      const exited = once(process.child, 'exit');
      const listening = await process.printed(/listening on (\S+)/).catch(() => null);
      if (!this.#killed.has(process)) {
        this.origin = listening?.[1] ?? null;
        if (listening && this.#killedAt !== null) this.restartsMs.push(performance.now() - this.#killedAt);
        if (listening) this.#killedAt = null;
      }
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

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
