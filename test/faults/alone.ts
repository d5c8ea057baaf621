import { arrivals, type Watched } from '../webhooks/survival.ts';
import type { Backend } from './backend.ts';
import { postTweet } from './callers.ts';
import type { FaultEnvironment } from './environment.ts';
import { type Gateway, pause } from './gateway.ts';
import { type Fault, hourMs } from './schedule.ts';

/** A fault that is applied while nothing else is wrong. */
export interface LoneFault {
  name: string;
  faults: Fault[];
  /** The gateway whose next successful call is waited for. Without it all gateways must succeed. */
  gateway?: number;
}

/** The times in milliseconds from the end of a fault. */
export interface Recovery {
  name: string;
  /** Until a charged write succeeded at the gateway of the fault, or at all gateways. */
  callMs: number;
  /** Until all events that had happened when the fault ended, and one more of each webhook, had arrived. */
  eventMs: number;
  /** The number of calls that were refused while the fault lasted. They cost nothing. */
  refused: number;
}

const faultMs = 3_000;
const probeEveryMs = 25;
/** The maximum number of probes without a response at a gateway. More would be a load of their own. */
const probesAtOnce = 10;
/** Longer than all documented times, so that a test does not depend on the speed of the machine. */
const limitMs = 600_000;

/** Returns each fault that the store allows. A kill ends when the process has ended, so its recovery includes the start of the gateway. */
export function loneFaults({ kind, hasClock }: Backend, gateways: number, hasDisk: boolean): LoneFault[] {
  const all = Array.from({ length: gateways }, (_, gateway) => gateway);
  const clocks = (shiftMs: number) =>
    kind === 'sqlite'
      ? [{ kind: 'clock' as const, gateway: 0, shiftMs }]
      : all.map((gateway) => ({ kind: 'clock' as const, gateway, shiftMs }));
  const ofStore: LoneFault[] =
    kind === 'sqlite'
      ? [
          {
            name: 'another process holds the write lock for 3 s',
            faults: [{ kind: 'lock', ms: faultMs, killed: false }],
          },
          {
            name: 'another process is killed with the write lock',
            faults: [{ kind: 'lock', ms: faultMs, killed: true }],
          },
        ]
      : [
          { name: 'database killed, started after 0.5 s', faults: [{ kind: 'kill-database', downMs: 500 }] },
          { name: 'database frozen for 3 s', faults: [{ kind: 'pause-database', ms: faultMs }] },
          { name: 'connections to the database half-open for 3 s', faults: [{ kind: 'half-open', ms: faultMs }] },
        ];
  const diskFull =
    kind === 'sqlite' ? 'disk full for 3 s' : 'disk of the database full for 3 s, then the database started again';
  return [
    { name: 'one gateway killed', faults: [{ kind: 'kill', gateway: 0 }], gateway: 0 },
    { name: 'all gateways killed', faults: all.map((gateway) => ({ kind: 'kill', gateway })) },
    { name: 'one gateway frozen for 3 s', faults: [{ kind: 'pause', gateway: 1, ms: faultMs }], gateway: 1 },
    ...ofStore,
    ...(hasDisk ? [{ name: diskFull, faults: [{ kind: 'disk-full' as const, ms: faultMs }] }] : []),
    ...(hasClock ? moves('clock of the database', (shiftMs) => [{ kind: 'clock-database', shiftMs }]) : []),
    ...moves('clock of the gateways', clocks),
  ];
}

/** Returns the faults that set a clock an hour ahead and back, and an hour behind and ahead again. */
function moves(clock: string, set: (shiftMs: number) => Fault[]): LoneFault[] {
  return [
    { name: `${clock} set an hour ahead`, faults: set(hourMs) },
    { name: `${clock} set back from an hour ahead`, faults: set(0) },
    { name: `${clock} set an hour back`, faults: set(-hourMs) },
    { name: `${clock} set ahead from an hour behind`, faults: set(0) },
  ];
}

/** Applies one fault after the other, and measures the recovery from each. */
export async function applyAlone(fixture: FaultEnvironment, faults: readonly LoneFault[]): Promise<Recovery[]> {
  const probes: Promise<unknown>[] = [];
  const recoveries: Recovery[] = [];
  for (const { name, faults: each, gateway } of faults) {
    const refusedBefore = refusals(fixture);
    await Promise.all(each.map((fault) => fixture.apply(fault)));
    const endedAt = performance.now();
    const refused = refusals(fixture) - refusedBefore;
    const targets = gateway === undefined ? fixture.gateways : fixture.gateways.slice(gateway, gateway + 1);
    const [callMs, eventMs] = await Promise.all([
      Promise.all(targets.map((target) => untilSuccess(fixture, target, probes))).then(
        (at) => Math.max(...at) - endedAt,
      ),
      untilEventsArrive(fixture).then((at) => at - endedAt),
    ]);
    const recovery = { name, callMs: Math.round(callMs), eventMs: Math.round(eventMs), refused };
    process.stderr.write(`${JSON.stringify(recovery)}\n`);
    recoveries.push(recovery);
  }
  // A probe that a gateway never answered ends with its timeout.
  await Promise.all(probes);
  return recoveries;
}

function refusals({ books }: FaultEnvironment): number {
  return books.reduce((sum, { tally }) => sum + tally.refused, 0);
}

let probed = 0;

/** Begins a charged write every 25 ms until one of them succeeds. Returns the time of its response. */
async function untilSuccess(fixture: FaultEnvironment, gateway: Gateway, probes: Promise<unknown>[]): Promise<number> {
  const caller = { ...fixture.probe, gateways: [gateway] };
  const startedAt = performance.now();
  let succeededAt: number | null = null;
  let waiting = 0;
  while (succeededAt === null) {
    if (performance.now() - startedAt > limitMs) throw new Error(`a gateway does not recover: ${gateway.lastWords()}`);
    if (waiting < probesAtOnce) {
      waiting += 1;
      const probe = postTweet(caller, `probe ${++probed}`).then((outcome) => {
        waiting -= 1;
        if (outcome === 'acknowledged') succeededAt ??= performance.now();
      });
      probes.push(probe);
    }
    await pause(probeEveryMs);
  }
  return succeededAt;
}

/** Makes one event for each webhook, and returns the time at which all events so far have arrived. */
async function untilEventsArrive(fixture: FaultEnvironment): Promise<number> {
  const wanted = await Promise.all(
    fixture.watched.map(async (each) => {
      await fixture.sandbox.makeEvents({ type: 'follow', userName: each.account.userName });
      each.happened += 1;
      return each.happened;
    }),
  );
  const isLate = (each: Watched, index: number) => arrivals(each) < (wanted[index] ?? 0);
  const arrived = () => fixture.watched.reduce((sum, each) => sum + arrivals(each), 0);
  let last = { at: performance.now(), count: arrived() };
  while (fixture.watched.some(isLate)) {
    if (arrived() > last.count) last = { at: performance.now(), count: arrived() };
    if (performance.now() - last.at > limitMs) throw new Error(`events do not arrive any more: ${explain(fixture)}`);
    await pause(probeEveryMs);
  }
  return performance.now();
}

function explain({ watched, gateways }: FaultEnvironment): string {
  const counts = watched.map((each) => `${arrivals(each)} of ${each.happened}`);
  return [...counts, ...gateways.map((gateway) => gateway.lastWords())].join('\n  ');
}
