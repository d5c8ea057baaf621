import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './outputs.js';

/** Writes the snapshot of the sandbox's dataset, with the generator of the bundle. */
export async function buildDataset() {
  const { defaultSeed, generate } = await import('../../dist/service/dataset.js');
  const folder = join(root, 'dist', 'dataset');
  const path = join(folder, `${defaultSeed}.bin`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${path}.new`, await generate(defaultSeed));
  renameSync(`${path}.new`, path);
}
