import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { format, inspect } from 'node:util';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { PosternError } from '../../../src/shared/errors/postern-error.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';

const text = 'hunter2-and-more';
const secret = new Secret(text);
const nested = { list: [{ deep: { secret } }], map: new Map([['k', secret]]), set: new Set([secret]) };

describe('a secret', () => {
  test('is given by expose() and by nothing else', () => {
    expect(secret.expose()).toBe(text);
    expect(new Secret(Buffer.from(text)).expose().toString()).toBe(text);
    expect(Object.keys(secret)).toEqual([]);
    expect(Object.getOwnPropertyNames(secret)).toEqual([]);
    expect(Reflect.ownKeys(secret)).toEqual([]);
  });

  const shown: [string, () => string][] = [
    ['a template', () => `${secret}`],
    ['+', () => `a ${String(secret)}`.concat(secret as unknown as string)],
    ['String()', () => String(secret)],
    ['a number', () => String(Number(secret))],
    ['a list joined', () => [secret, secret].join()],
    ['JSON', () => JSON.stringify(nested) + JSON.stringify(secret) + JSON.stringify([secret], null, 2)],
    ['inspect', () => inspect(nested, { depth: 9, showHidden: true }) + inspect(secret)],
    ['inspect without custom parts', () => inspect(nested, { depth: 9, customInspect: false, showHidden: true })],
    ['inspect with getters', () => inspect(nested, { depth: 9, getters: true, showProxy: true })],
    ['format', () => format('%s %o %O %j %d %i', secret, secret, secret, secret, secret, secret)],
    ['a copy', () => inspect({ ...secret }) + inspect(Object.assign({}, secret)) + JSON.stringify({ ...secret })],
    ['a structured clone', () => inspect(structuredClone({ secret: { ...secret } }), { showHidden: true })],
    ['an Error', () => inspect(new Error(`cannot use ${secret}`, { cause: secret }))],
    [
      'a PosternError',
      () => inspect(new PosternError('malformed_field', `no: ${secret}`, { cause: nested }), { depth: 9 }),
    ],
    ['a key of an object', () => JSON.stringify({ [secret as unknown as string]: 1 })],
    ['a URL', () => String(new URL(`http://localhost/${secret}?q=${secret}`))],
  ];
  test.each(shown)('is not shown by %s', (_name, show) => {
    expect(show()).not.toContain('hunter2');
  });

  test('is not shown by console', () => {
    const stream = new PassThrough();
    const printed = new Console(stream);
    printed.log(secret, nested, '%s', secret);
    printed.error('%o', secret);
    printed.dir(nested, { depth: 9, showHidden: true });
    printed.table([{ secret }]);
    printed.trace(secret);
    expect(String(stream.read())).not.toContain('hunter2');
  });

  test('is not shown by the log, wherever it hangs', () => {
    const lines: string[] = [];
    const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    logger.info({ secret, nested, err: new Error(`x ${secret}`, { cause: nested }) }, `${secret}`);
    logger.error(Object.assign(new Error('with a property'), { secret, nested }));
    logger.child({ secret }).warn('%s %o %j', secret, secret, secret);
    logger.trace(nested);
    expect(lines).toHaveLength(4);
    expect(lines.join()).not.toContain('hunter2');
    expect(lines.join()).toContain('[secret]');
  });
});
