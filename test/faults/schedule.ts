import { createHash } from 'node:crypto';

/** What a schedule may do. Times are milliseconds. */
export type Fault =
  /** kill -9, and a start at once, with a clock this far off. */
  | { kind: 'kill'; gateway: number; clockMs: number }
  /** SIGSTOP, and SIGCONT after so long. */
  | { kind: 'pause'; gateway: number; ms: number }
  /** Another process takes SQLite's write lock; it dies of kill -9 inside its transaction, or gives it back. */
  | { kind: 'lock'; ms: number; killed: boolean }
  | { kind: 'reset' }
  | { kind: 'lose-answers'; ms: number }
  | { kind: 'half-open'; ms: number }
  | { kind: 'latency'; ms: number; delayMs: number }
  | { kind: 'pause-database'; ms: number }
  /** kill -9 of the database, and a start on what it has on disk. */
  | { kind: 'kill-database'; downMs: number };

export interface Step {
  /** Since the beginning of the round. */
  afterMs: number;
  fault: Fault;
}

export interface ScheduleOptions {
  store: 'sqlite' | 'mongodb';
  rounds: number;
  gateways: number;
  /** Adds pauses that are longer than a hold lives. */
  long: boolean;
}

/** A float in [0, 1) at each call; the same ones for the same seed and label. */
export type Chance = () => number;

/** mulberry32, its state taken from SHA-256, so that one stream says nothing of the next. */
export function chance(seed: string, label: string): Chance {
  let state = createHash('sha256').update(`${seed}\u0000${label}`).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: Chance, items: readonly [T, ...T[]]): T {
  return items[Math.floor(random() * items.length)] ?? items[0];
}

/** Longer than a hold lives without a commit, so that its writer wakes up and finds that it was swept. */
const beyondHoldMs = 25_000;

/** Every round kills a gateway at some point and does up to two other things; what, depends on nothing but the seed. */
export function drawSchedule(seed: string, options: ScheduleOptions): Step[][] {
  const random = chance(seed, `schedule of ${options.store}`);
  return Array.from({ length: options.rounds }, (_, round) => {
    const steps = [drawKill(random, options)];
    const others = Math.floor(random() * 3);
    for (let i = 0; i < others; i++) steps.push(drawOther(random, options));
    if (options.long && round % 25 === 10) {
      const gateway = Math.floor(random() * options.gateways);
      steps.push({ afterMs: Math.floor(random() * 500), fault: { kind: 'pause', gateway, ms: beyondHoldMs } });
    }
    return steps.sort((a, b) => a.afterMs - b.afterMs);
  });
}

function drawKill(random: Chance, { store, gateways }: ScheduleOptions): Step {
  const gateway = Math.floor(random() * gateways);
  // On one machine there is one clock; processes that share a database may be anywhere.
  const clockMs = store === 'sqlite' ? 0 : pick(random, [0, 3_600_000, -3_600_000]);
  return { afterMs: Math.floor(random() * 1_500), fault: { kind: 'kill', gateway, clockMs } };
}

function drawOther(random: Chance, { store, gateways }: ScheduleOptions): Step {
  const between = (low: number, high: number) => Math.floor(low + random() * (high - low));
  const gateway = between(0, gateways);
  const onAny: [() => Fault, ...(() => Fault)[]] = [
    () => ({ kind: 'kill', gateway, clockMs: 0 }),
    () => ({ kind: 'pause', gateway, ms: between(50, 1_500) }),
  ];
  const onSqlite: (() => Fault)[] = [
    () => ({ kind: 'lock', ms: between(20, 1_200), killed: random() < 0.5 }),
    () => ({ kind: 'lock', ms: between(20, 1_200), killed: random() < 0.5 }),
  ];
  const onMongo: (() => Fault)[] = [
    () => ({ kind: 'reset' }),
    () => ({ kind: 'lose-answers', ms: between(10, 500) }),
    () => ({ kind: 'half-open', ms: between(100, 1_500) }),
    () => ({ kind: 'latency', ms: between(200, 1_500), delayMs: between(5, 150) }),
    () => ({ kind: 'pause-database', ms: between(100, 1_500) }),
    () => ({ kind: 'kill-database', downMs: between(0, 500) }),
  ];
  const fault = pick(random, [...onAny, ...(store === 'sqlite' ? onSqlite : onMongo)] as typeof onAny)();
  return { afterMs: between(0, 1_500), fault };
}
