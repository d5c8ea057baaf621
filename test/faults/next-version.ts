import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

/** The end of the migrations of each store in the bundle, and the migrations of the next version, which older versions can use. */
const changes: readonly [end: RegExp, next: string][] = [
  [
    /\](;\s*(?:\/\/[^\n]*\s*)*function migrateSqlite)/,
    `, "ALTER TABLE delivery ADD COLUMN next_version TEXT; UPDATE delivery SET next_version = event; " +
      "CREATE INDEX delivery_by_next_version ON delivery (next_version); CREATE TABLE next_version (id TEXT PRIMARY KEY) STRICT"]$1`,
  ],
  [
    /\](;\s*const schemaVersion = migrations)/,
    `, async (db) => {
      await db.collection("deliveries").updateMany({}, { $set: { nextVersion: 1 } });
      await db.collection("deliveries").createIndex({ nextVersion: 1 });
      await db.createCollection("next_version").catch(() => {});
    }]$1`,
  ],
];

/** Further changes, after which older versions cannot use the store, so that all processes must be stopped first. */
const incompatible: typeof changes = [
  [/from < \d+(\) assertNoneRuns\(store, liveProcesses)/, 'from < newest$1'],
  [/String\(\d+\)(\]\);\s*connection\.exec\(`PRAGMA user_version)/, 'String(newest)$1'],
];

/** A build of the next version of Postern, whose only difference is a migration of each store. */
export interface NextVersion {
  /** The file to start. */
  program: string;
  remove(): void;
}

/** Makes the next version from the built service. It is beside it, because it needs the same files and packages. */
export function buildNextVersion({ isCompatible = true } = {}): NextVersion {
  const all = isCompatible ? changes : [...changes, ...incompatible];
  const folder = mkdtempSync(join(dist, 'next-version-'));
  cpSync(join(dist, 'service'), folder, { recursive: true });
  const found = new Set<RegExp>();
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.js'))) {
    let code = readFileSync(join(folder, name), 'utf8');
    for (const [end, next] of all) {
      if (!end.test(code)) continue;
      found.add(end);
      code = code.replace(end, next);
    }
    writeFileSync(join(folder, name), code);
  }
  if (found.size < all.length) throw new Error('the migrations are not where this file looks for them');
  return { program: join(folder, 'postern.js'), remove: () => rmSync(folder, { recursive: true }) };
}
