import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A disk that can be filled and made read-only. */
export interface SmallDisk {
  readonly path: string;
  /** Fills the disk except for `leaveBytes`. */
  fill(leaveBytes?: number): void;
  makeRoom(): void;
  remount(mode: 'ro' | 'rw'): void;
  end(): void;
}

/** Mounts a disk in memory. Returns `null` if this process is not allowed to mount a disk. */
export function mountSmallDisk(size = '16m'): SmallDisk | null {
  return mountDisk((path) => execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], quiet));
}

/** Mounts a disk in a file, whose writes wait for the disk of the machine. Returns `null` if this process is not allowed to mount a disk. */
export function mountFileDisk(size = '1G'): SmallDisk | null {
  return mountDisk((path) => {
    const image = `${path}.image`;
    try {
      execFileSync('truncate', ['-s', size, image], quiet);
      execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', image], quiet);
      execFileSync('mount', ['-o', 'loop', image, path], quiet);
    } finally {
      // The mounted disk keeps the file.
      rmSync(image, { force: true });
    }
  });
}

const quiet = { stdio: 'ignore' } as const;

function mountDisk(mount: (path: string) => void): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'postern-disk-'));
  try {
    mount(path);
  } catch {
    rmdirSync(path);
    process.stderr.write('tests of full and read-only disks are left out: this process may not mount a disk\n');
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
  const { bavail, bsize } = statfsSync(dirname(path));
  // Takes the space without writing it. What is left is written.
  spawnSync('fallocate', ['-l', String(bavail * bsize), path], quiet);
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
