// Runs the scenario with the built kit in a context that has the globals of the web only. Prints what it returns.
import { readFileSync } from 'node:fs';
import { createContext, runInContext, SourceTextModule } from 'node:vm';

const [kitFile, scenarioFile, input] = process.argv.slice(2);
const web = { TextDecoder, TextEncoder, Headers, ReadableStream, Request, Response, URL, URLSearchParams, atob, btoa };
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
const kit = await load(kitFile);
const { run } = await load(scenarioFile);
process.stdout.write(JSON.stringify(await run(kit, JSON.parse(input))));
