import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the licences of the bundled packages, which must be included in every copy. */
export function licences(output) {
  const folders = new Set();
  for (const { modules = {} } of output) {
    for (const id of Object.keys(modules)) {
      const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [];
      if (folder !== undefined) folders.add(folder);
    }
  }
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name} ${version}\n\n${file === undefined ? license : readFileSync(join(folder, file), 'utf8')}`;
    })
    .join(`\n${'-'.repeat(80)}\n`);
}
