import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './outputs.ts';

/** Writes the snapshot of the sandbox's dataset, with the generator of the bundle. */
export async function buildDataset(): Promise<void> {
  const bundle = join(root, 'dist', 'service', 'dataset.js');
  const { defaultSeed, generate } = (await import(bundle)) as typeof import('../../src/sandbox/seed/load-dataset.ts');
  const folder = join(root, 'dist', 'dataset');
  const path = join(folder, `${defaultSeed}.bin`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${path}.new`, await generate(defaultSeed));
  renameSync(`${path}.new`, path);
}
