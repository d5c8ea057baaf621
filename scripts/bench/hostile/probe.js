// Preloaded into the measured service (`node --import`). Over the IPC channel it reports the longest stop of the event loop,
// the processor time and the memory since the last reset.
import { openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const tickMs = 2;
const MiB = 1024 * 1024;

// Worker threads inherit --import; only the event loop that serves requests is of interest.
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
    // Time in which the thread was ready to run but the processors were busy with other programs is not the service's.
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
    // One more turn of the loop, so that a stop which this message waited for has been counted.
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

/** Milliseconds that this thread has waited for a processor; 0 on systems that do not count them. */
function waitedMs() {
  waitedMs.file ??= openSchedstat();
  if (waitedMs.file === -1) return 0;
  const buffer = Buffer.alloc(64);
  const length = readSync(waitedMs.file, buffer, 0, 64, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

function openSchedstat() {
  try {
    // On Linux the main thread's id is that of the process.
    return openSync(`/proc/self/task/${process.pid}/schedstat`);
  } catch {
    return -1;
  }
}

/** https://docs.kernel.org/filesystems/proc.html: 5 resets the high-water mark of the resident set. */
function resetPeak() {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Not Linux: the samples have to do.
  }
}

function peakRss() {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
  } catch {
    return null;
  }
}
