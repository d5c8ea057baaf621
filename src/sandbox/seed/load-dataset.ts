import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSnapshot, type Snapshot, writeSnapshot } from '../dataset/snapshot.ts';

/** The seed for which the build creates a snapshot. */
export const defaultSeed = 'postern';

// The snapshot that `npm run build` writes. The relative path is valid in both src/ and dist/.
const builtFile = new URL('../../../dist/dataset/postern.bin', import.meta.url);

/** Any epoch can be used here, because a snapshot does not depend on it. */
const anyEpochMs = Date.UTC(2026, 0, 1);

/**
 * Returns the snapshot of a seed. The snapshot of the default seed is read from the build, and others are generated. A
 * snapshot of the build that cannot be used is generated as well, with a warning on stderr.
 */
export async function snapshotOf(seed: string, file = builtFile): Promise<Snapshot> {
  const built = seed === defaultSeed ? readBuilt(file) : undefined;
  const stored = built && readSnapshot(built, seed);
  if (built && !stored) {
    process.emitWarning(
      `${fileURLToPath(file)} is damaged, or was built for another version or machine. The sandbox generates its dataset instead, ` +
        'which delays each start by some seconds. Run `npm run build -- --clean` to build the file again',
    );
  }
  const snapshot = stored ?? readSnapshot(await generate(seed), seed);
  if (snapshot === undefined) throw new Error('a snapshot that was just made must be readable');
  return snapshot;
}

/** Generates the dataset of a seed, which takes a second, and returns its snapshot. */
export async function generate(seed: string): Promise<Buffer> {
  const { buildDataset } = await import('./build-dataset.ts');
  return writeSnapshot(buildDataset(seed, anyEpochMs), seed, anyEpochMs);
}

function readBuilt(file: URL): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
