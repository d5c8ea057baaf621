// Runs a scenario with a built module in a context that has only web globals. Prints its result.
import { readFileSync } from 'node:fs';
import { createContext, runInContext, SourceTextModule } from 'node:vm';

const [builtFile, scenarioFile, input] = process.argv.slice(2);
const encodings = { TextDecoder, TextEncoder, URL, URLSearchParams, atob, btoa };
const requests = { AbortController, AbortSignal, Blob, fetch, Headers, ReadableStream, Request, Response };
const web = { ...encodings, ...requests, clearTimeout, crypto, setTimeout };
const context = createContext({ ...web });

async function load(file) {
  const module = new SourceTextModule(readFileSync(file, 'utf8'), { context, identifier: file });
  await module.link((specifier) => {
    throw new Error(`${file} imports ${specifier}`);
  });
  await module.evaluate();
  return module.namespace;
}

if (runInContext('typeof process + typeof Buffer + typeof require', context) !== 'undefined'.repeat(3)) {
  throw new Error('the context has globals of Node');
}
const built = await load(builtFile);
const { run } = await load(scenarioFile);
process.stdout.write(JSON.stringify(await run(built, JSON.parse(input))));
