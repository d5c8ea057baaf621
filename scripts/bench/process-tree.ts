import { readdirSync, readFileSync } from 'node:fs';

/** The clock ticks per second of the times in /proc (USER_HZ). It is 100 on all architectures that Node supports. */
const ticksPerSecond = 100;

/** Returns the processor time in seconds and the resident memory in MB of a process and all its descendants (Linux only). */
export function usageOf(pid: number): { cpuSeconds: number; megabytes: number; processes: number } {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => read(Number(name)));
  const family = new Set([pid]);
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const each of processes) if (family.has(each.parent)) family.add(each.pid);
  }
  const members = processes.filter((each) => family.has(each.pid));
  const sum = (figure: 'cpuSeconds' | 'megabytes') => members.reduce((total, each) => total + each[figure], 0);
  return { cpuSeconds: sum('cpuSeconds'), megabytes: sum('megabytes'), processes: members.length };
}

function read(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the name in parentheses, which may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0;
    const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    return [{ pid, parent: Number(fields[1]), cpuSeconds, megabytes: Number(kilobytes) / 1_024 }];
  } catch {
    // The process has ended.
    return [];
  }
}
