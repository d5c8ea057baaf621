import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** libfaketime, the Debian package `faketime`, which shifts the clock of any program. */
const libraries = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`);

/** The clock of a program. It can be moved while the program runs. */
export interface FakeTime {
  /** The environment in which the program must be started. */
  readonly env: Record<string, string>;
  /** Sets the difference to the clock of this machine in milliseconds. It takes effect within a second. */
  shift(ms: number): void;
  remove(): void;
}

/** Returns `null` if libfaketime is not installed. */
export function fakeTime(): FakeTime | null {
  const library = libraries.find((path) => existsSync(path));
  if (library === undefined) {
    process.stderr.write('the clock of the database is not moved: libfaketime is missing (apt-get install faketime)\n');
    return null;
  }
  const directory = mkdtempSync(join(tmpdir(), 'postern-fake-time-'));
  const file = join(directory, 'time');
  const shift = (ms: number) => {
    writeFileSync(`${file}.new`, `${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1_000}`);
    renameSync(`${file}.new`, file);
  };
  shift(0);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    shift,
    remove: () => rmSync(directory, { recursive: true }),
  };
}
