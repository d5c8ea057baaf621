import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputAsset, OutputChunk } from 'rolldown';

type Rendered = OutputAsset | OutputChunk;

const separator = `\n${'-'.repeat(80)}\n`;

/** Returns the licences of the bundled packages, which must be included in every copy. */
export function licences(output: readonly Rendered[]): string {
  const folders = new Set<string>();
  for (const rendered of output) {
    for (const id of rendered.type === 'chunk' ? rendered.moduleIds : []) {
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
    .join(separator);
}

/** Returns the packages (`name@version`) in a text of `licences`. */
export function packagesIn(text: string): string[] {
  return text.split(separator).map((part) => part.slice(0, part.indexOf('\n')).replace(' ', '@'));
}
