import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from './stack.ts';

type Counts = Record<string, number>;

export interface FaultContext extends Pick<Stack, 'sandbox' | 'proxy' | 'receiver' | 'relay' | 'dataDir'> {
  /** Calls a control route of the sandbox. */
  control: (path: string, body: object) => Promise<unknown>;
  /** Returns the number of requests to the platform of each operation. */
  requests: () => Promise<Counts>;
  /** Control calls wait while `run` has stopped the sandbox. */
  whileAway: (run: () => Promise<void>) => Promise<void>;
  /** Adds a remark to the report. */
  note: (text: string) => void;
}

const lockHolder = join(import.meta.dirname, '../../test/faults/lock-holder.mjs');
/** The share of the platform's responses that are errors during the fault `platform errors`. */
const errorShare = 0.05;
const platformSlowMs = 1_000;
const receiverSlowMs = 2_000;

/** Each function begins a fault, and ends it after `ms`. The store and the proxy are unavailable for half as long as the platform. */
const faults: Record<string, (context: FaultContext, ms: number) => Promise<void>> = {
  'platform slow': async ({ control }, ms) => {
    await control('/control/faults', { fault: { kind: 'latency', ms: platformSlowMs }, times: null });
    await sleep(ms);
    await control('/control/faults/clear', {});
  },
  'platform errors': platformErrors,
  'platform down': async ({ sandbox, whileAway }, ms) => {
    await whileAway(async () => {
      await sandbox.kill();
      await sleep(ms);
      await sandbox.startAgain();
    });
  },
  'proxy dead': async ({ proxy }, ms) => {
    await proxy.kill();
    await sleep(ms / 2);
    await proxy.startAgain();
  },
  'store away': async ({ relay, dataDir }, ms) => {
    if (!relay) return holdLock(join(dataDir, 'postern.sqlite'), ms / 2);
    await relay.kill();
    await sleep(ms / 2);
    await relay.startAgain();
  },
  'receiver slow': async ({ receiver }, ms) => {
    const delay = (delayMs: number) => fetch(`${receiver.url}/delay?ms=${delayMs}`, { method: 'POST' });
    await delay(receiverSlowMs);
    await sleep(ms);
    await delay(0);
  },
};

/**
 * Makes every twentieth response of each operation an error. The operations have faults of their own, because the waiting requests of
 * pollers would use up a shared one.
 */
async function platformErrors({ control, requests, note }: FaultContext, ms: number): Promise<void> {
  const before = await requests();
  const endsAt = performance.now() + ms;
  const stepMs = 50;
  const injected: Counts = {};
  let total = 0;
  while (performance.now() < endsAt) {
    await sleep(stepMs);
    total = 0;
    for (const [operation, count] of Object.entries(await requests())) {
      const since = count - (before[operation] ?? 0);
      total += since;
      const times = Math.round(since * errorShare) - (injected[operation] ?? 0);
      if (times <= 0) continue;
      await control('/control/faults', { operation, fault: { kind: 'status', status: 500 }, times });
      injected[operation] = (injected[operation] ?? 0) + times;
    }
  }
  await control('/control/faults/clear', {});
  const all = Object.values(injected).reduce((sum, times) => sum + times, 0);
  note(`${all} of ${total} requests to the platform failed (${((all / total) * 100).toFixed(1)} %)`);
}

/** Keeps SQLite's write lock, as a process that hangs in a transaction does. */
async function holdLock(path: string, ms: number): Promise<void> {
  const holder = spawn(process.execPath, [lockHolder, path, String(Math.round(ms))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder, 'exit');
}

/**
 * Returns the times of all faults in a run of `seconds`: rounds of all kinds in a random order that depends only on the seed, with equal
 * pauses. A round takes about five minutes, or the whole of a shorter run.
 */
export function planFaults({
  seconds,
  faultSeconds,
  random,
}: {
  seconds: number;
  faultSeconds: number;
  random: () => number;
}) {
  const kinds = Object.keys(faults);
  const rounds = Math.max(1, Math.round(seconds / 300));
  const count = rounds * kinds.length;
  const pause = (seconds - count * faultSeconds) / (count + 1);
  if (pause <= 0) throw new Error(`${count} faults of ${faultSeconds} s do not fit into ${seconds} s`);
  const plan: { kind: string; atSeconds: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const kind of shuffled(kinds, random)) {
      plan.push({ kind, atSeconds: pause + plan.length * (faultSeconds + pause) });
    }
  }
  return { plan, pause };
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}

/** Injects the planned faults, and keeps the time at which each began and ended. */
export class FaultInjector {
  /** Times are those of `performance.now()`. `to` is infinite while the fault lasts. */
  readonly windows: { kind: string; from: number; to: number; note: string }[] = [];
  readonly #graceMs: number;

  /** A call that fails up to `graceMs` after the end of a fault counts as a consequence of the fault. */
  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  async run({
    plan,
    faultSeconds,
    startedAt,
    context,
  }: {
    plan: { kind: string; atSeconds: number }[];
    faultSeconds: number;
    startedAt: number;
    context: Omit<FaultContext, 'note'>;
  }): Promise<void> {
    for (const { kind, atSeconds } of plan) {
      await sleep(Math.max(0, startedAt + atSeconds * 1_000 - performance.now()));
      const window = { kind, from: performance.now(), to: Number.POSITIVE_INFINITY, note: '' };
      this.windows.push(window);
      const note = (text: string) => {
        window.note = text;
      };
      await faults[kind]?.({ ...context, note }, faultSeconds * 1_000);
      window.to = performance.now();
    }
  }

  /** Describes the time since the end of the last fault before `at`. */
  sinceFault(at: number, digits = 1): string {
    const last = this.windows.findLast(({ to }) => to <= at);
    return last ? `${((at - last.to) / 1_000).toFixed(digits)} s after "${last.kind}"` : 'before all faults';
  }

  /** Returns the latest fault that may have affected something that ran from `from` to `to`, or `undefined`. */
  during(from: number, to: number) {
    return this.windows.findLast((window) => from <= window.to + this.#graceMs && to >= window.from);
  }
}
