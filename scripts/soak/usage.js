import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Returns the resident memory in MiB, and the numbers of sockets and file descriptors of a process (Linux only). */
export function usageOf(pid) {
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      // The file descriptor was closed in the meantime.
      return '';
    }
  });
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return {
    memory: Number(kilobytes) / 1_024,
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
    descriptors: targets.length,
  };
}

/** The allowed increase from the first to the last third. In a short soak test, caches and the heap are still filling. */
const allowed = {
  memory: (first) => first * 1.5 + 64,
  sockets: (first) => first * 1.5 + 20,
  descriptors: (first) => first * 1.5 + 20,
};

/** Compares the medians of the first and the last third. Returns a row for each metric. */
export function compareThirds(samples) {
  const third = Math.floor(samples.length / 3);
  return Object.entries(allowed).map(([figure, limitOf]) => {
    const medianOf = (part) => part.map((sample) => sample[figure]).sort((a, b) => a - b)[Math.floor(part.length / 2)];
    const [first, last] = [medianOf(samples.slice(0, third)), medianOf(samples.slice(-third))];
    return { figure, first, last, limit: limitOf(first), isFlat: last <= limitOf(first) };
  });
}
