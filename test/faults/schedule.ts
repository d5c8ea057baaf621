import { createHash } from 'node:crypto';

/** The faults of a schedule. Times are in milliseconds. */
export type Fault =
  /** SIGKILL, followed by a start. */
  | { kind: 'kill'; gateway: number }
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
  | { kind: 'kill-database'; downMs: number }
  /** The disk of the store has no space. */
  | { kind: 'disk-full'; ms: number }
  /** The clock of a gateway, or of all gateways of one machine, is set: it differs by `shiftMs` from now on. */
  | { kind: 'clock'; gateway: number; shiftMs: number }
  /** The clock of the database is set. */
  | { kind: 'clock-database'; shiftMs: number };

export interface Step {
  /** The time since the beginning of the round. */
  afterMs: number;
  fault: Fault;
}

export interface ScheduleOptions {
  store: 'sqlite' | 'mongodb';
  kills: number;
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
export const hourMs = 3_600_000;

/** The time in milliseconds in which the faults of a round begin. */
const roundMs = 600;
/** The average number of other faults in a round. */
const otherFaults = 0.4;

/** Every round kills one gateway or several at nearly the same time, and some rounds apply another fault. They depend only on the seed. */
export function drawSchedule(seed: string, options: ScheduleOptions): Step[][] {
  const { store, kills, gateways, long } = options;
  const random = chance(seed, `schedule of ${store}`);
  const rounds: Step[][] = [];
  for (let killed = 0; killed < kills; ) {
    const count = Math.min(kills - killed, pick(random, [1, 1, 1, 2, gateways]));
    const first = Math.floor(random() * gateways);
    const steps = Array.from({ length: count }, (_, index): Step => {
      const fault: Fault = { kind: 'kill', gateway: (first + index) % gateways };
      return { afterMs: Math.floor(random() * roundMs), fault };
    });
    if (random() < otherFaults) steps.push(drawOther(random, options));
    if (long && rounds.length % 100 === 10) {
      steps.push({
        afterMs: Math.floor(random() * roundMs),
        fault: { kind: 'pause', gateway: first, ms: beyondHoldMs },
      });
    }
    killed += count;
    rounds.push(steps.sort((a, b) => a.afterMs - b.afterMs));
  }
  return rounds;
}

function drawOther(random: Chance, { store, gateways }: ScheduleOptions): Step {
  const between = (low: number, high: number) => Math.floor(low + random() * (high - low));
  const gateway = between(0, gateways);
  const onAny: [() => Fault, ...(() => Fault)[]] = [
    () => ({ kind: 'pause', gateway, ms: between(50, 1_000) }),
    () => ({ kind: 'clock', gateway, shiftMs: pick(random, [0, hourMs, -hourMs]) }),
  ];
  const onSqlite: (() => Fault)[] = [
    () => ({ kind: 'lock', ms: between(20, 1_200), killed: random() < 0.5 }),
    () => ({ kind: 'lock', ms: between(20, 1_200), killed: random() < 0.5 }),
  ];
  const onMongo: (() => Fault)[] = [
    () => ({ kind: 'reset' }),
    () => ({ kind: 'lose-answers', ms: between(10, 500) }),
    () => ({ kind: 'half-open', ms: between(100, 1_000) }),
    () => ({ kind: 'latency', ms: between(200, 1_000), delayMs: between(5, 150) }),
    () => ({ kind: 'pause-database', ms: between(100, 1_000) }),
    () => ({ kind: 'kill-database', downMs: between(0, 500) }),
  ];
  const fault = pick(random, [...onAny, ...(store === 'sqlite' ? onSqlite : onMongo)] as typeof onAny)();
  return { afterMs: between(0, roundMs), fault };
}
