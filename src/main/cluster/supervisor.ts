import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '../../shared/observability/logger.ts';
import { MergedMetrics } from '../../shared/observability/merged-metrics.ts';
import { type Runtime, sleep, type Timer } from '../../shared/runtime/runtime.ts';
import { Channel } from './channel.ts';
import { type Listening, processIdName, type SupervisorApi, type WorkerApi, workerNumberName } from './protocol.ts';
import { SharedLimits } from './shared-limits.ts';

export interface SupervisorOptions {
  /** The number of workers. */
  workers: number;
  /** The URL of the sandbox that the supervisor runs; `null` if the platform runs elsewhere. */
  sandboxUrl: Promise<string | null>;
  runtime: Runtime;
  logger: Logger;
}

/** A worker that does not listen after this many milliseconds is killed. */
const startMs = 120_000;
/** A stopping worker is killed after this many milliseconds. It needs at most 15 s for its connections. */
const stopMs = 30_000;
const metricsMs = 5_000;
const firstPauseMs = 250;
const longestPauseMs = 30_000;
/** A worker that ran for at least this many milliseconds before it ended is restarted after the shortest pause. */
const stableMs = 60_000;
/** The supervisor gives up after this many consecutive failed starts if no worker is running. */
const mostFailedStarts = 4;

/** A slot for one worker. If the worker ends, another one is started in the same slot. */
interface WorkerSlot {
  readonly number: number;
  readonly processId: string;
  current: RunningWorker | null;
  /** True while a rolling restart starts the next worker of this slot. */
  replacing: boolean;
  /** The number of consecutive workers that ended before `stableMs`. */
  failures: number;
  /** The number of consecutive starts that failed. */
  failedStarts: number;
  restarting: Timer | null;
}

interface RunningWorker {
  readonly process: Worker;
  readonly channel: Channel<WorkerApi>;
  /** Rejects if the worker ends before it listens. */
  readonly listening: Promise<Listening>;
  listeningSince: number;
}

/**
 * Runs several workers that listen on one port (https://nodejs.org/api/cluster.html), and keeps the state that they share: limits, guesses
 * of encryption codes, and metrics. The supervisor accepts connections and distributes them over the workers. It handles no requests
 * itself.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #limits: SharedLimits;
  readonly #metrics = new MergedMetrics(() => this.#running.size);
  readonly #slots: readonly WorkerSlot[];
  /** The workers that listen, by their id in `node:cluster`. */
  readonly #running = new Map<number, RunningWorker>();
  #onFailure: (error: Error) => void = () => {};
  #stopping = false;
  #reloading: Promise<void> | null = null;
  #reloadAgain = false;

  constructor(options: SupervisorOptions) {
    const { workers, runtime } = options;
    this.#options = options;
    this.#limits = new SharedLimits(runtime, workers);
    const group = runtime.randomBytes(12).toString('hex');
    this.#slots = Array.from({ length: workers }, (_, index) => ({
      number: index + 1,
      processId: `${group}-${index + 1}`,
      current: null,
      replacing: false,
      failures: 0,
      failedStarts: 0,
      restarting: null,
    }));
  }

  /** Resolves when all workers listen. The first worker is started alone, so that an invalid setting is reported only once. */
  async start(): Promise<Listening> {
    const [first, ...others] = this.#slots;
    if (first === undefined) throw new Error('a supervisor needs a worker');
    try {
      const { listening } = this.#launch(first);
      await this.#options.sandboxUrl;
      const result = await listening;
      await Promise.all(others.map((slot) => this.#launch(slot).listening));
      return result;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Calls the listener if no worker can be started any more. */
  onFailure(listener: (error: Error) => void): void {
    this.#onFailure = listener;
  }

  /**
   * Replaces all workers, one at a time. Each new worker listens before the old one stops. If it is called during a restart, another
   * restart follows.
   */
  reload(): Promise<void> {
    if (this.#reloading) {
      this.#reloadAgain = true;
      return this.#reloading;
    }
    this.#reloading = this.#replaceAll().finally(() => {
      this.#reloading = null;
      if (!this.#reloadAgain) return;
      this.#reloadAgain = false;
      void this.reload();
    });
    return this.#reloading;
  }

  /** Stops all workers gracefully. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const { restarting } of this.#slots) restarting?.cancel();
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(workers.map((worker) => this.#stop(worker, { replaced: false })));
  }

  async #replaceAll(): Promise<void> {
    const { logger } = this.#options;
    logger.info('replacing all workers, one at a time');
    for (const slot of this.#slots) {
      const old = slot.current;
      // A slot without a worker is skipped, because a new worker will be started there anyway.
      if (old === null) continue;
      slot.replacing = true;
      try {
        await this.#launch(slot).listening;
      } catch {
        if (!this.#stopping)
          logger.error({ worker: slot.number }, 'a new worker could not start; the existing workers continue');
        return;
      } finally {
        slot.replacing = false;
        if (slot.current === null) this.#restart(slot);
      }
      await this.#stop(old.process, { replaced: true });
      if (this.#stopping) return;
    }
    logger.info('all workers are replaced');
  }

  /** Starts a worker. It takes over its slot when it listens. */
  #launch(slot: WorkerSlot): RunningWorker {
    const { logger, runtime } = this.#options;
    const worker = cluster.fork({ [workerNumberName]: String(slot.number), [processIdName]: slot.processId });
    const { api: limits, end } = this.#limits.openSession();
    let listens = (_listening: Listening) => {};
    let fails = (_error: Error) => {};
    const listening = new Promise<Listening>((resolve, reject) => {
      listens = resolve;
      fails = reject;
    });
    const own: SupervisorApi = {
      ...limits,
      // If the sandbox fails to start, `start` reports the error and ends the worker, so this promise never settles.
      sandboxUrl: () => this.#options.sandboxUrl.catch(() => new Promise<never>(() => {})),
      listening: listens,
      metricsText: () => this.#metricsText(),
      stopped: (metrics) => this.#metrics.note(worker.id, metrics),
    };
    // The empty callback ignores errors for a worker that has just ended.
    const channel = new Channel<WorkerApi>((batch) => worker.send(batch, () => {}), own);
    const running: RunningWorker = { process: worker, channel, listening, listeningSince: 0 };
    const late = runtime.after(startMs, () => worker.process.kill('SIGKILL'));
    worker.on('message', (message) => channel.receive(message));
    worker.once('exit', (code, signal) => {
      late.cancel();
      channel.close();
      end();
      this.#metrics.end(worker.id);
      this.#running.delete(worker.id);
      fails(new Error(`worker ${slot.number} did not start (it ended with ${signal ?? code})`));
      if (slot.current === running) this.#died(slot, running, signal ?? String(code));
    });
    listening.then(
      ({ origin }) => {
        late.cancel();
        running.listeningSince = runtime.now();
        slot.current = running;
        slot.failedStarts = 0;
        this.#running.set(worker.id, running);
        logger.info({ worker: slot.number, pid: worker.process.pid, origin }, 'a worker is listening');
      },
      () => {},
    );
    return running;
  }

  /** Handles the unexpected end of a worker that was listening. */
  #died(slot: WorkerSlot, { listeningSince }: RunningWorker, reason: string): void {
    const { logger, runtime } = this.#options;
    slot.current = null;
    if (this.#stopping) return;
    if (runtime.now() - listeningSince >= stableMs) slot.failures = 0;
    logger.error({ worker: slot.number, reason }, 'a worker ended unexpectedly; another one will be started');
    if (!slot.replacing) this.#restart(slot);
  }

  #restart(slot: WorkerSlot): void {
    if (this.#stopping) return;
    const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** slot.failures);
    slot.failures++;
    slot.restarting = this.#options.runtime.after(pauseMs, () => {
      this.#metrics.restarts.inc();
      this.#launch(slot).listening.catch((error: Error) => {
        if (this.#stopping) return;
        slot.failedStarts++;
        const { failedStarts: failures, number } = slot;
        if (failures < mostFailedStarts || this.#running.size > 0) {
          this.#options.logger.error({ worker: number, failures }, 'a worker could not start; trying again');
          return this.#restart(slot);
        }
        this.#onFailure(new Error(`${error.message}, ${failures} times in a row, and no other worker is running`));
      });
    });
  }

  async #stop(worker: Worker, options: { replaced: boolean }): Promise<void> {
    if (worker.isDead()) return;
    const { runtime, logger } = this.#options;
    const late = runtime.after(stopMs, () => {
      logger.error({ pid: worker.process.pid }, 'a worker did not stop in time and was killed');
      worker.process.kill('SIGKILL');
    });
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    this.#running.get(worker.id)?.channel.tell('stop', options);
    // A worker that does not listen yet has no work to finish, so it is killed.
    if (!this.#running.has(worker.id)) worker.process.kill('SIGKILL');
    await exited;
    late.cancel();
  }

  async #metricsText(): Promise<string> {
    const answered = new Set<number>();
    const ask = async ([id, { channel }]: [number, RunningWorker]) => {
      const metrics = await channel.call('metrics').catch(() => null);
      if (metrics === null || !this.#running.has(id)) return;
      this.#metrics.note(id, metrics);
      answered.add(id);
    };
    await Promise.race([Promise.all([...this.#running].map(ask)), sleep(this.#options.runtime, metricsMs)]);
    return this.#metrics.text(answered);
  }
}
