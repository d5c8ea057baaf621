import { fork } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../shared/config/config.ts';
import type { Fault } from '../../shared/errors/operator-error.ts';
import type { StoreReport } from '../../store/port.ts';
import { type Finding, fail, faultOf, ok, skip, warn } from './finding.ts';
import type { ProbeMessage } from './store-probe.ts';

/** Longer than SQLite waits for a lock and MongoDB's driver for a server: their own words say more than "too late". */
const limitMs = 9_000;
const toleratedClockMs = 60_000;

interface Seen {
  opened?: { kind: string; aheadMs: number };
  written?: true;
  report?: StoreReport;
  keyFault?: Fault | null;
  faults: Fault[];
  late?: true;
}

/** Two checks, since only an open store has a clock. */
export async function checkStore(config: Config): Promise<readonly Finding[]> {
  const embedded = config.secrets.mongodbUrl === null;
  const path = join(config.dataDir, 'postern.sqlite');
  // A log without its database is a fault that opening tells of, before anything is made.
  if (embedded && (await sizeOf(path)) === null && !(await sizeOf(`${path}-wal`))) {
    return [ok('store', `sqlite, ${path} is made at first start`), clockFinding(0, embedded)];
  }
  const seen = await probe();
  const clock = seen.opened ? clockFinding(seen.opened.aheadMs, embedded) : skip('clock', 'the store did not open');
  return [...keyFindings(seen), ...storeFindings(seen, embedded), clock];
}

/** Only an open store knows whether the key fits. */
function keyFindings({ keyFault }: Seen): Finding[] {
  if (keyFault == null) return [];
  return [fail('secret_key', keyFault.detail, keyFault.advice ?? 'restore secret.key from the backup')];
}

function storeFindings(seen: Seen, embedded: boolean): Finding[] {
  const { opened, written, report } = seen;
  const otherwise = embedded
    ? 'see what else uses the files in DATA_DIR, then look again'
    : 'see to MongoDB (its own log may say more) and to MONGODB_URL, then look again';
  const findings = [...seen.faults, ...(report?.faults ?? [])].map(({ detail, advice }) =>
    fail('store', detail, advice ?? otherwise),
  );
  if (seen.late && !(written && opened)) {
    findings.push(
      fail('store', `${opened ? 'cannot be written' : 'does not open'} within ${limitMs / 1_000} s`, otherwise),
    );
  } else if (seen.late && !report) {
    const todo = embedded ? "`sqlite3 postern.sqlite 'PRAGMA integrity_check'` reads it to the end" : otherwise;
    findings.push(warn('store', `can be written, but was not read to its end within ${limitMs / 1_000} s`, todo));
  }
  if (findings.length > 0 || !opened || !report) return findings;
  const facts = report.facts.map(([name, value]) => (name === 'version' ? value : `${name} ${value}`));
  return [ok('store', `${opened.kind}: ${facts.join('; ')}; can be written`)];
}

function clockFinding(aheadMs: number, embedded: boolean): Finding {
  if (embedded) return ok('clock', `${new Date().toISOString()}; the embedded store goes by it too`);
  const apart = describeClock(aheadMs);
  if (Math.abs(aheadMs) <= toleratedClockMs) return ok('clock', `${new Date().toISOString()}; the store's is ${apart}`);
  return fail('clock', `the store's clock is ${apart}`, 'let NTP set the clocks of both machines');
}

/** A clock's distance to this machine's, in words; more than a minute is a fault. */
export function describeClock(aheadMs: number): string {
  const seconds = Math.abs(aheadMs) / 1_000;
  return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} ours`;
}

/** Runs the probe to its end, or to the end of our patience. */
function probe(): Promise<Seen> {
  const seen: Seen = { faults: [] };
  const child = fork(new URL('./store-probe.js', import.meta.url), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  child.on('message', (message: ProbeMessage) => {
    if (message.step === 'opened') seen.opened = message;
    else if (message.step === 'written') seen.written = true;
    else if (message.step === 'inspected') seen.report = message.report;
    else if (message.step === 'secret_key') seen.keyFault = message.fault;
    else seen.faults.push(message.fault);
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      seen.late = true;
      child.kill('SIGKILL');
      resolve(seen);
    }, limitMs);
    // Not `exit`, which may come before the last message.
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const silent = seen.faults.length === 0 && !(seen.written && seen.report);
      if (silent && !seen.late)
        seen.faults.push({ detail: `the process that looked at it ended with ${signal ?? code}`, advice: null });
      resolve(seen);
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      seen.faults.push(faultOf(error));
      resolve(seen);
    });
  });
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
