import { readFile } from 'node:fs/promises';
import type { RequestHandler } from 'express';
import { sleep, systemRuntime } from '../../shared/runtime/runtime.ts';
import { unknownPath } from '../rest/routes.ts';
import { pageHeaders } from './local-page.ts';
import { type Encoding, encodingFor, immutable, readOnce } from './static-files.ts';

/** A bundle for the browser that the build has written. */
export interface Build {
  /** The names of the program and of the style sheet, which the page loads first. */
  script: string;
  style: string;
  /** The names of the programs of worker threads, if there are any. */
  workers?: Readonly<Record<string, string>>;
  /** Every file by its name, in each encoding. */
  files: ReadonlyMap<string, Readonly<Record<Encoding, Buffer>>>;
}

const suffixes: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz', identity: '' };
// The name of a file contains the hash of its content.
const fileHeaders = { ...pageHeaders(), 'cache-control': immutable, vary: 'accept-encoding' };

/** Returns a function that reads a bundle at its first call. All files are read at once, because another build may replace them. */
export function builtFiles(folder: URL): () => Promise<Build> {
  return readOnce(async () => {
    const manifest = JSON.parse(await readWhenBuilt(new URL('manifest.json', folder)));
    const read = async (name: string, encoding: Encoding) => [
      encoding,
      await readFile(new URL(`${name}${suffixes[encoding]}`, folder)),
    ];
    const files = await Promise.all(
      manifest.files.map(async (name: string) => {
        const encodings = (['br', 'gzip', 'identity'] as const).map((encoding) => read(name, encoding));
        return [name, Object.fromEntries(await Promise.all(encodings))];
      }),
    );
    return { ...manifest, files: new Map(files) };
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
    const file = (await build()).files.get(name);
    if (!file) throw unknownPath();
    const encoding = encodingFor(request);
    if (encoding !== 'identity') response.set('content-encoding', encoding);
    response
      .set(fileHeaders)
      .type(name.slice(name.lastIndexOf('.') + 1))
      .send(file[encoding]);
  };
}
