// Analyses every regular expression in src/ with recheck, because an expression with polynomial or exponential time can stop the event loop
// for a short input. Prints each finding with an input that shows it. Exits with 1 if an expression is not linear.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from 'recheck';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { parseAst } = await import(createRequire(join(root, 'package.json')).resolve('rolldown/parseAst'));

/** Expressions that are not linear, and the reason why their inputs are short or come from the operator. */
const accepted = {
  '/\\/+$/': 'the base URL that the user of the client configures',
  '/=+$/': 'base64 that this process has made',
  '/0+$/': 'the decimals of an amount',
  '/[\\p{P}]+$/u': 'a hashtag in a text of at most 3,000 bytes',
  '/\\S+:\\/\\/\\S+/g': 'a warning about a setting of the operator',
  '/(\\/\\/[^?#]*[?#]).+/s': 'a setting of the operator',
  '/\\/\\/[^:/]*:(.*)@/': 'a setting of the operator',
  '/[^A-Za-z0-9]+(\\w)/g': 'the name of an action',
  '/^(?:\\p{RGI_Emoji}|\\p{Extended_Pictographic})$/v':
    'recheck does not know the flag v; an emoji has a bounded length',
};
const found = new Map();
for (const file of readdirSync(join(root, 'src'), { recursive: true })) {
  if (!/\.tsx?$/.test(file) || file.endsWith('.d.ts')) continue;
  const program = parseAst(readFileSync(join(root, 'src', file), 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' });
  for (const { pattern, flags } of expressionsIn(program)) found.set(`/${pattern}/${flags}`, { pattern, flags, file });
}
let unsafe = 0;
let searched = 0;
for (const [text, { pattern, flags, file }] of found) {
  if (Object.hasOwn(accepted, text)) continue;
  const { complexity, attack } = await analyse(pattern, flags);
  if (complexity === null || complexity.type === 'safe' || complexity.type === 'linear') continue;
  unsafe++;
  process.stderr.write(`src/${file}: ${text}: ${complexity.summary}, for example for ${attack?.pattern}\n`);
}
const unused = Object.keys(accepted).filter((text) => !found.has(text));
for (const text of unused) process.stderr.write(`${text} is accepted, but is not in src/ any more\n`);
if (unsafe + unused.length > 0) process.exitCode = 1;
else
  process.stdout.write(`${found.size} regular expressions, ${searched} of them only searched for exponential time\n`);

/**
 * Proves the complexity of an expression. Expressions with assertions such as `(?<=`, and large ones, cannot be analysed like this; for these,
 * inputs that take exponential time are searched for. Longer searches also report linear expressions, depending on the speed of the machine.
 */
async function analyse(pattern, flags) {
  const proof = await check(pattern, flags, { checker: 'automaton', timeout: 5_000 });
  if (proof.status !== 'unknown') return proof;
  searched++;
  const search = await check(pattern, flags, { checker: 'fuzz', timeout: 2_000, randomSeed: 0 });
  return search.complexity?.type === 'exponential' ? search : { complexity: null };
}

function* expressionsIn(node) {
  if (typeof node !== 'object' || node === null) return;
  if (node.type === 'Literal' && node.regex) yield node.regex;
  for (const child of Object.values(node)) yield* expressionsIn(child);
}
