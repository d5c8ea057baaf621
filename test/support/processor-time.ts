import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

const maxRuns = 10;
const pauseMs = 1_000;

/**
 * Expects that `work` takes less than `limitMs` of this process's processor time. Processor time does not depend on other processes. A garbage
 * collection of objects from earlier tests can make a run slow. Slow work is therefore repeated after a pause, up to `maxRuns` runs in total,
 * and one quick run is sufficient.
 */
export async function expectQuick(limitMs: number, work: () => unknown): Promise<void> {
  const times: number[] = [];
  for (;;) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
    if (Math.min(...times) < limitMs || times.length === maxRuns) break;
    await sleep(pauseMs);
  }
  expect(Math.min(...times), `processor time of each run in milliseconds: ${times.join(', ')}`).toBeLessThan(limitMs);
}

/** Returns the milliseconds of processor time that another process has used. On systems other than Linux, returns the elapsed time. */
export function processorMsOf(pid: number): number {
  return process.platform === 'linux' ? usedMs(`/proc/${pid}/stat`) : performance.now();
}

/** The unit of processor times in /proc (proc(5), `sysconf(_SC_CLK_TCK)`). */
const procTickMs = 10;

/** Returns the milliseconds of processor time that the main thread has used. On systems other than Linux, returns the elapsed time. */
export function mainThreadMs(): number {
  return process.platform === 'linux' ? usedMs(`/proc/self/task/${process.pid}/stat`) : performance.now();
}

function usedMs(path: string): number {
  const stat = readFileSync(path, 'utf8');
  // The name of the program, which may contain spaces, ends with the last parenthesis. Of the fields after it, the 12th is the user time and
  // the 13th is the system time.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * procTickMs;
}

/**
 * Returns the milliseconds that `work` takes, counted in ticks of 10 ms. Ticks are late while this thread waits for a processor, so a
 * busy machine adds little.
 */
export async function patientMs(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return ticks * 10;
}
