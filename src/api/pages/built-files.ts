import { readFile } from 'node:fs/promises';
import type { RequestHandler } from 'express';
import { sleep, systemRuntime } from '../../shared/runtime/runtime.ts';
import { unknownPath } from '../rest/routes.ts';
import { type Content, immutable, readEncodings, readOnce, sendContent } from './static-files.ts';

/** A bundle for the browser that the build has written. */
export interface Build {
  /** The names of the program and of the style sheet, which the page loads first. */
  script: string;
  style: string;
  /** The names of the programs of worker threads, if there are any. */
  workers?: Readonly<Record<string, string>>;
  /** Every file by its name. */
  files: ReadonlyMap<string, Content>;
}

/** Returns a function that reads a bundle at its first call. All files are read at once, because another build may replace them. */
export function builtFiles(folder: URL): () => Promise<Build> {
  return readOnce(async () => {
    const manifest = JSON.parse(await readWhenBuilt(new URL('manifest.json', folder)));
    const files = manifest.files.map(async (name: string) => [name, await readEncodings(new URL(name, folder))]);
    return { ...manifest, files: new Map(await Promise.all(files)) };
  });
}

/** Reads a file that the first start of a checkout may still be building (scripts/postern.js). */
async function readWhenBuilt(file: URL): Promise<string> {
  for (let waits = 0; waits < 100; waits++) {
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text !== null) return text;
    await sleep(systemRuntime, 300);
  }
  return readFile(file, 'utf8');
}

/** Serves the files of a bundle by the parameter `name` of the path. */
export function serveBuilt(build: () => Promise<Build>): RequestHandler<{ name: string }> {
  return async (request, response) => {
    const { name } = request.params;
    const content = (await build()).files.get(name);
    if (!content) throw unknownPath();
    // The name of a file contains the hash of its content.
    await sendContent(request, response, content, name.slice(name.lastIndexOf('.') + 1), immutable);
  };
}
