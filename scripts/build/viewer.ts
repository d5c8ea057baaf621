import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './outputs.ts';
import { writeCompressed } from './pages.ts';

const target = join(root, 'dist', 'viewer');

/**
 * Copies the viewer of /docs into dist/viewer. It is a development dependency, because its package depends on many others that the
 * bundled file does not need. The published package contains the copied file.
 */
export async function copyViewer(): Promise<void> {
  // This package of Scalar contains the finished bundle, so that the hundreds of packages in the bundle need not be installed.
  const reference = join(root, 'node_modules', '@scalar', 'fastify-api-reference');
  mkdirSync(target, { recursive: true });
  writeCompressed(join(target, 'reference.js'), readFileSync(join(reference, 'dist', 'js', 'standalone.js')));
  copyFileSync(join(reference, 'LICENSE'), join(target, 'LICENSE'));
}
