/** The promised times in milliseconds from the end of a fault until calls succeed and until events arrive (docs/operating.md). */
const callMs = 5_000;
/** MongoDB keeps the transaction of a killed gateway open, with its lock on the account, for 5 s (src/store/mongo/sessions.ts). */
const lockedCallMs = 10_000;
const eventMs = 30_000;
const heldMs = 30_000;

/** The results of test/faults, as far as they are shown. */
export interface Faults {
  store: string;
  kills: number;
  gateways: number;
  accounts: Record<'issued' | 'acknowledged' | 'unknown' | 'charged' | 'lost' | 'doubled', number>[];
  tweets: number;
  events: number;
  repeated: number;
  heldMs: number;
  recoveries: { name: string; callMs: number; eventMs: number }[];
}

export interface Upgrade {
  isOlder: boolean;
  calls: number;
  acknowledged: number;
  charged: number;
  lost: number;
  doubled: number;
  events: number;
  silentMs: number;
}

interface Row {
  fault: string;
  promised: string;
  measured: string;
  met: boolean;
}

/** Returns the rows to print for the results of one store. `null` stands for tests that did not run. */
export function rowsOf(store: string, faults: Faults | null, upgrade: Upgrade | null) {
  const name = store === 'sqlite' ? 'SQLite' : 'MongoDB';
  const rows: Row[] = [];
  if (faults) rows.push(...killRows(faults), ...recoveryRows(faults));
  if (upgrade) rows.push(upgradeRow(upgrade));
  return rows.map((row) => ({ test: `faults on ${name}`, ...row }));
}

function killRows({ kills, gateways, accounts, tweets, events, repeated, heldMs: held }: Faults): Row[] {
  const sum = (figure: keyof Faults['accounts'][number]) =>
    accounts.reduce((total, account) => total + account[figure], 0);
  return [
    {
      fault: `${kills} kill -9 of ${gateways} gateways, with other faults`,
      promised: 'charges, tweets and events: 0 lost, 0 doubled',
      measured:
        `${sum('issued')} calls, ${sum('acknowledged')} acknowledged, ${sum('unknown')} unknown, ${sum('charged')} charged: ${sum('lost')} lost, ` +
        `${sum('doubled')} doubled; ${tweets} tweets: 0 lost, 0 doubled; ${events} events: 0 lost, 0 doubled (${repeated} delivered again, with the same id and body)`,
      met: sum('lost') === 0 && sum('doubled') === 0,
    },
    {
      fault: 'all gateways killed: their reserved credit',
      promised: `available again within ${heldMs / 1_000} s`,
      measured: seconds(held),
      met: held <= heldMs,
    },
  ];
}

function recoveryRows({ store, recoveries }: Faults): Row[] {
  return [...new Set(recoveries.map(({ name }) => name))].map((fault) => {
    const times = recoveries.filter(({ name }) => name === fault);
    const calls = times.map((each) => each.callMs).sort((a, b) => a - b);
    const limitMs = store === 'mongodb' && fault.includes('killed') ? lockedCallMs : callMs;
    const events = times.map((each) => each.eventMs).sort((a, b) => a - b);
    return {
      fault: `${fault} (${times.length} times)`,
      promised: `calls succeed within ${limitMs / 1_000} s, events arrive within ${eventMs / 1_000} s`,
      measured: `calls ${spread(calls)}, events ${spread(events)}`,
      met: Math.max(...calls) <= limitMs && Math.max(...events) <= eventMs,
    };
  });
}

function upgradeRow({ isOlder, calls, acknowledged, charged, lost, doubled, events, silentMs }: Upgrade): Row {
  return {
    fault: isOlder
      ? 'upgrade from an older version with an incompatible migration, after all its gateways have stopped'
      : 'two versions side by side: upgrade of the gateways one by one, with a compatible migration, kills and a way back',
    promised: 'charges, tweets and events: 0 lost, 0 doubled',
    measured: `${calls} calls, ${acknowledged} acknowledged, ${charged} charged: ${lost} lost, ${doubled} doubled; ${events} events: 0 lost, 0 doubled; longest time without a successful call ${seconds(silentMs)}`,
    met: lost === 0 && doubled === 0,
  };
}

function spread(times: number[]): string {
  const median = times[Math.floor(times.length / 2)] ?? 0;
  return times.length === 1 ? seconds(median) : `${seconds(median)} (at most ${seconds(Math.max(...times))})`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
