// Prints the software bill of materials (CycloneDX) of the packages that an installation of Postern has: `npx tsx scripts/sbom.ts > postern.cdx.json`.
// It reads the lock file, so it needs no network.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'postern-sbom-'));
// npm names the component after its folder.
const cwd = join(folder, 'postern');
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
try {
  mkdirSync(cwd);
  // `npm sbom --omit=dev` would leave out every runtime dependency that a package for development needs too. Therefore npm removes those
  // packages from a copy of the lock file first.
  const { devDependencies: _, scripts: __, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest));
  copyFileSync(join(root, 'package-lock.json'), join(cwd, 'package-lock.json'));
  npm('install', '--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund');
  process.stdout.write(npm('sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'));
} finally {
  rmSync(folder, { recursive: true });
}
