import { spawnSync } from 'node:child_process';

/** Binds all threads of a process, and those that they will start, to one processor core (Linux only). */
export function pin(pid: number, core: number): void {
  const { status, stderr } = spawnSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`taskset (util-linux) is needed: ${stderr}`);
}
