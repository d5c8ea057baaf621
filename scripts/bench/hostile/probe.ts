// Preloaded into the measured service (`node --import`). Reports over the IPC channel the longest block of the event loop, the processor
// time and the memory since the last reset.
import { openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const tickMs = 2;
const MiB = 1024 * 1024;

// Worker threads inherit --import, but only the event loop that serves requests is measured.
if (isMainThread && process.send) startProbe();

function startProbe() {
  const stop = { lastAt: performance.now(), lastWaitedMs: waitedMs(), ownMs: 0, wallMs: 0 };
  let cpu = process.cpuUsage();
  let base = memory();
  let sampledPeak = 0;

  const tick = () => {
    const now = performance.now();
    const waited = waitedMs();
    const wallMs = now - stop.lastAt - tickMs;
    stop.wallMs = Math.max(stop.wallMs, wallMs);
    // Subtracts the time in which the thread was ready to run but other programs used the processors.
    stop.ownMs = Math.max(stop.ownMs, wallMs - (waited - stop.lastWaitedMs));
    stop.lastAt = now;
    stop.lastWaitedMs = waited;
  };
  setInterval(tick, tickMs).unref();
  setInterval(() => {
    sampledPeak = Math.max(sampledPeak, process.memoryUsage.rss());
  }, 50).unref();

  const reset = () => {
    collectGarbage();
    base = memory();
    sampledPeak = base.rss;
    resetPeak();
    cpu = process.cpuUsage();
    Object.assign(stop, { lastAt: performance.now(), lastWaitedMs: waitedMs(), ownMs: 0, wallMs: 0 });
    return {};
  };
  const read = () => {
    tick();
    const { user, system } = process.cpuUsage(cpu);
    const peak = Math.max(peakRss() ?? 0, sampledPeak, process.memoryUsage.rss());
    const { ownMs, wallMs } = stop;
    collectGarbage();
    const { used } = memory();
    return {
      stopMs: ownMs,
      stopWallMs: wallMs,
      cpuMs: (user + system) / 1_000,
      retainedMiB: (used - base.used) / MiB,
      peakMiB: (peak - base.rss) / MiB,
    };
  };
  process.on('message', ({ id, verb }) => {
    // Waits for one more turn of the event loop, so that a block that delayed this message is counted.
    setTimeout(() => process.send({ id, ...(verb === 'reset' ? reset() : read()) }), 2 * tickMs);
  });
  process.channel.unref();
}

function memory() {
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, used: heapUsed + external };
}

function collectGarbage() {
  globalThis.gc?.();
  globalThis.gc?.();
}

/** Returns the milliseconds that this thread has waited for a processor. Returns 0 on systems that do not count them. */
function waitedMs() {
  waitedMs.file ??= openSchedstat();
  if (waitedMs.file === -1) return 0;
  const buffer = Buffer.alloc(64);
  const length = readSync(waitedMs.file, buffer, 0, 64, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

function openSchedstat() {
  try {
    // On Linux the id of the main thread is the id of the process.
    return openSync(`/proc/self/task/${process.pid}/schedstat`);
  } catch {
    return -1;
  }
}

/** The value 5 resets the high-water mark of the resident set (https://docs.kernel.org/filesystems/proc.html). */
function resetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Systems other than Linux use only the samples.
  }
}

function peakRss() {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
  } catch {
    return null;
  }
}
