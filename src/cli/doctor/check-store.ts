import { fork } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../shared/config/config.ts';
import type { OperatorProblem } from '../../shared/errors/operator-error.ts';
import type { StoreReport } from '../../store/port.ts';
import { type Finding, fail, passed, problemOf, skip, warn } from './finding.ts';
import type { ProbeMessage } from './store-probe.ts';

/** The timeout is longer than those of SQLite and of MongoDB's driver, because their errors explain more than this timeout. */
const limitMs = 9_000;
const toleratedClockMs = 60_000;

interface Seen {
  opened?: { kind: string; aheadMs: number };
  written?: true;
  report?: StoreReport;
  keyProblem?: OperatorProblem | null;
  problems: OperatorProblem[];
  late?: true;
}

/** Checks the store and its clock, which can only be read while the store is open. */
export async function checkStore(config: Config): Promise<readonly Finding[]> {
  const embedded = config.secrets.mongodbUrl === null;
  const path = join(config.dataDir, 'postern.sqlite');
  // The store is not opened here, because opening would create the file. A log without its database is an error that opening reports.
  if (embedded && (await sizeOf(path)) === null && !(await sizeOf(`${path}-wal`))) {
    return [passed('store', `sqlite, ${path} is made at first start`), clockFinding(0, embedded)];
  }
  const seen = await probe();
  const clock = seen.opened ? clockFinding(seen.opened.aheadMs, embedded) : skip('clock', 'the store did not open');
  return [...keyFindings(seen), ...storeFindings(seen, embedded), clock];
}

/** Returns the finding about the secret key. Whether the key fits can only be checked with an open store. */
function keyFindings({ keyProblem }: Seen): Finding[] {
  if (keyProblem == null) return [];
  return [fail('secret_key', keyProblem.detail, keyProblem.advice ?? 'restore secret.key from the backup')];
}

function storeFindings(seen: Seen, embedded: boolean): Finding[] {
  const { opened, written, report } = seen;
  const otherwise = embedded
    ? 'check which other process uses the files in DATA_DIR, then run the doctor again'
    : 'check MongoDB (its log may have details) and MONGODB_URL, then run the doctor again';
  const findings = [...seen.problems, ...(report?.problems ?? [])].map(({ detail, advice }) =>
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
  return [passed('store', `${opened.kind}: ${facts.join('; ')}; can be written`)];
}

function clockFinding(aheadMs: number, embedded: boolean): Finding {
  if (embedded) return passed('clock', `${new Date().toISOString()}; the embedded store uses the same clock`);
  const apart = describeClock(aheadMs);
  if (Math.abs(aheadMs) <= toleratedClockMs)
    return passed('clock', `${new Date().toISOString()}; the store's is ${apart}`);
  return fail('clock', `the store's clock is ${apart}`, 'let NTP set the clocks of both machines');
}

/** Compares a clock with the clock of this machine. A difference of more than a minute is an error. */
export function describeClock(aheadMs: number): string {
  const seconds = Math.abs(aheadMs) / 1_000;
  return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} ours`;
}

/** Runs the probe until it ends or the timeout passes. */
function probe(): Promise<Seen> {
  const seen: Seen = { problems: [] };
  const child = fork(new URL('./store-probe.js', import.meta.url), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  child.on('message', (message: ProbeMessage) => {
    if (message.step === 'opened') seen.opened = message;
    else if (message.step === 'written') seen.written = true;
    else if (message.step === 'inspected') seen.report = message.report;
    else if (message.step === 'secret_key') seen.keyProblem = message.problem;
    else seen.problems.push(message.problem);
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      seen.late = true;
      child.kill('SIGKILL');
      resolve(seen);
    }, limitMs);
    // The event is `close`, because `exit` may be emitted before the last message.
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const silent = seen.problems.length === 0 && !(seen.written && seen.report);
      if (silent && !seen.late)
        seen.problems.push({ detail: `the process that checked it ended with ${signal ?? code}`, advice: null });
      resolve(seen);
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      seen.problems.push(problemOf(error));
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
