import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { findMongo, startMongo } from '../support/mongo-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useService } from '../support/use-service.ts';
import { followGuide } from './guide.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guides = readdirSync(join(root, 'docs', 'guides'));

// A reader has the folder of Postern, where the service runs, and a folder next to it for the commands of the guide.
const folder = temporaryFolder();
const postern = join(folder, 'postern');
mkdirSync(postern);
for (const name of readdirSync(root)) if (name !== 'data') symlinkSync(join(root, name), join(postern, name));
// Guides install packages. These tests use Postern's development packages instead.
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
const { service } = await useService({ DATA_DIR: join(postern, 'data') });

/** Programs beside Node, by the guide or the section of a guide that needs them, with an argument that only prints. */
const interpreters = { Python: ['python3', '--version'], Go: ['go', 'version'], Java: ['java', '--version'] } as const;
const missing = Object.entries(interpreters).flatMap(([name, [program, argument]]) => {
  try {
    execFileSync(program, [argument], { stdio: 'ignore' });
    return [];
  } catch {
    return [name];
  }
});
const needsMissing = (guide: string) => missing.some((name) => guide === `${name.toLowerCase()}.md`);

async function follow(guide: string, settings: Record<string, string> = {}): Promise<void> {
  const { port: PORT } = new URL(service.origin);
  await followGuide(readGuide(guide), mkdtempSync(join(folder, 'work-')), { ...env, PORT, ...settings });
}

/** Returns a guide without the sections on missing interpreters. */
function readGuide(name: string): string {
  const guide = readFileSync(join(root, 'docs', 'guides', name), 'utf8');
  return guide
    .split(/^(?=## )/m)
    .filter((section) => !missing.some((interpreter) => section.startsWith(`## ${interpreter}\n`)))
    .join('');
}

const env = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_offline: 'true', NO_COLOR: '1' };

for (const guide of guides.filter((name) => name !== 'mongodb.md'))
  test.skipIf(needsMissing(guide))(`a reader can follow docs/guides/${guide}`, () => follow(guide));

const mongo = findMongo();
test.skipIf(mongo === null)('a reader can follow docs/guides/mongodb.md', async () => {
  if (mongo === null) return;
  const server = await startMongo(mongo);
  onTestFinished(server.stop);
  await follow('mongodb.md', { MONGODB_URL: server.url(`guide_${Date.now()}`) });
});

test('a reader can run the examples', async () => {
  const page = readFileSync(join(root, 'docs', 'examples', 'README.md'), 'utf8');
  await followGuide(page, join(folder, 'postern'), env);
});

test('each guide is listed in docs/README.md', () => {
  const index = readFileSync(join(root, 'docs', 'README.md'), 'utf8');
  for (const guide of guides) expect(index).toContain(`(guides/${guide})`);
});
