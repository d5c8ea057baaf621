import { createHash } from 'node:crypto';

/** The faults of a schedule. Times are in milliseconds. */
export type Fault =
  /** SIGKILL, followed by a start with a clock that differs by `clockMs`. */
  | { kind: 'kill'; gateway: number; clockMs: number }
  /** SIGSTOP, followed by SIGCONT after `ms`. */
  | { kind: 'pause'; gateway: number; ms: number }
  /** Another process takes SQLite's write lock. It is killed inside its transaction, or releases the lock. */
  | { kind: 'lock'; ms: number; killed: boolean }
  | { kind: 'reset' }
  | { kind: 'lose-answers'; ms: number }
  | { kind: 'half-open'; ms: number }
  | { kind: 'latency'; ms: number; delayMs: number }
  | { kind: 'pause-database'; ms: number }
  /** SIGKILL of the database, followed by a start with the data on its disk. */
  | { kind: 'kill-database'; downMs: number };

export interface Step {
  /** The time since the beginning of the round. */
  afterMs: number;
  fault: Fault;
}

export interface ScheduleOptions {
  store: 'sqlite' | 'mongodb';
  rounds: number;
  gateways: number;
  /** Adds pauses that are longer than the lifetime of a hold. */
  long: boolean;
}

/** Returns a number in [0, 1). The sequence depends only on the seed and the label. */
export type Chance = () => number;

/** Implements mulberry32. Its state is derived with SHA-256, so that the streams are independent. */
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

/** Longer than a hold lives without a commit, so that its writer finds that it was swept. */
const beyondHoldMs = 25_000;

/** Every round kills a gateway at some point and applies up to two other faults. They depend only on the seed. */
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
  // Processes on one machine share one clock; processes that share a database may have different clocks.
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
