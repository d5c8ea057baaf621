import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk in memory that can be filled and made read-only. */
export interface SmallDisk {
  readonly path: string;
  /** Fills the disk except for `leaveBytes`. */
  fill(leaveBytes?: number): void;
  makeRoom(): void;
  remount(mode: 'ro' | 'rw'): void;
  end(): void;
}

/** Returns `null` if this process is not allowed to mount a disk. */
export function mountSmallDisk(size = '16m'): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'postern-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    rmdirSync(path);
    process.stderr.write('tests of full and read-only disks are left out: this process may not mount a tmpfs\n');
    return null;
  }
  const filler = join(path, 'filler');
  return {
    path,
    fill(leaveBytes = 0) {
      takeAllRoom(filler);
      if (leaveBytes === 0) return;
      const size = Number(execFileSync('stat', ['-c', '%s', filler]));
      execFileSync('truncate', ['-s', String(Math.max(0, size - leaveBytes)), filler]);
    },
    makeRoom: () => rmSync(filler, { force: true }),
    remount: (mode) => void execFileSync('mount', ['-o', `remount,${mode}`, path]),
    end() {
      execFileSync('umount', ['-l', path]);
      rmdirSync(path);
    },
  };
}

function takeAllRoom(path: string): void {
  const file = openSync(path, 'a');
  for (let chunk = 1024 * 1024; chunk >= 1; ) {
    try {
      if (writeSync(file, Buffer.alloc(chunk)) < chunk) throw new Error('written in part');
    } catch {
      chunk = Math.floor(chunk / 16);
    }
  }
  closeSync(file);
}
