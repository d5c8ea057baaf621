const bytes = 6 * 1024 * 1024;

/** Returns this many bytes of the part and its repetitions, separated by commas. */
const repeated = (part: string) => `${part},`.repeat(bytes / (part.length + 1)) + part;

/** Returns 300,000 different parts, separated by commas. */
const different = (partOf: (name: string) => string) =>
  Array.from({ length: 300_000 }, (_, index) => partOf(`"k${index.toString(36)}"`)).join(',');

/** JSON texts that would take far longer to parse than to send. Some are not valid. */
export const hostileJson: readonly (readonly [name: string, body: Buffer])[] = [
  ['arrays that are never closed', '['.repeat(bytes)],
  ['nested arrays', `{"x":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`],
  ['nested objects', `${'{"x":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`],
  ['numbers', `{"x":[${repeated('1')}]}`],
  ['empty objects', `{"x":[${repeated('{}')}]}`],
  ['empty objects in a list of the page', `{"tweets":[${repeated('{}')}],"feed":[${repeated('{}')}]}`],
  ['different names in one object', `{${different((name) => `${name}:0`)}}`],
  ['objects with different names', `{"x":[${different((name) => `{${name}:0}`)}]}`],
  ['different short strings', `{"x":[${different((name) => name)}]}`],
  ['names of prototypes', `{"x":[${repeated('{"__proto__":{"constructor":0}}')}]}`],
  ['one long name', `{"${'k'.repeat(bytes)}":0}`],
  ['one number', `{"x":${'1'.repeat(bytes)}}`],
  ['spaces', `{"x":${' '.repeat(bytes)}1}`],
  ['escapes', `{"x":"${'\\n'.repeat(bytes / 2)}"}`],
  ['a long text', `{"x":"${'é'.repeat(bytes / 2)}"}`],
  ['a byte order mark and text', `\ufeff${'x'.repeat(bytes)}`],
  ['bytes that are not UTF-8', Buffer.alloc(bytes, 0x80)],
].map(([name, body]) => [String(name), typeof body === 'string' ? Buffer.from(body) : (body as Buffer)]);
