import { WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { appearanceOf, makeLogger } from '../../../src/shared/observability/logger.ts';
import { prettyFormatter } from '../../../src/shared/observability/pretty.ts';

/** Returns the formatted lines of the log that a function writes. */
function shown(hasColours: boolean, program: (logger: ReturnType<typeof makeLogger>) => void): string[] {
  const lines: string[] = [];
  const format = prettyFormatter(hasColours);
  program(makeLogger({ level: 'trace', format: 'json' }, { write: (line) => void lines.push(format(line)) }));
  return lines;
}

const time = /^\d\d:\d\d:\d\d\.\d{3} /;
const requestId = 'r1';

const requests = (logger: ReturnType<typeof makeLogger>) => {
  const paid = { account: 'acc', key: 'key', status: '200', ms: 12.4, chargedMicros: 1_000 };
  logger.info({ requestId, method: 'GET', action: 'user/info', ...paid }, 'request');
  const why = { status: '429', ms: 0.2, code: 'rate_limited', reason: 'key_rate_limit', chargedMicros: 0 };
  logger.info(
    { requestId, method: 'DELETE', action: 'webhooks/delete', account: 'acc', key: 'key', ...why },
    'request',
  );
  logger.info({ requestId, method: 'GET', action: 'none', status: 'hung_up', ms: 3 }, 'request');
};

const terminals: [...Parameters<typeof appearanceOf>, string][] = [
  ['auto', { isTTY: true, hasColors: () => true }, 'coloured'],
  ['auto', { isTTY: true, hasColors: () => false }, 'plain'],
  ['auto', {}, 'json'],
  ['pretty', {}, 'plain'],
  ['json', { isTTY: true, hasColors: () => true }, 'json'],
];

test.each(terminals)('LOG_FORMAT=%s on %j', (format, stderr, appearance) => {
  expect(appearanceOf(format, stderr)).toBe(appearance);
});

test('NO_COLOR removes the colours of a terminal', () => {
  const hasColors = (env: object) => WriteStream.prototype.hasColors.call(WriteStream.prototype, 16, env);
  expect(hasColors({ TERM: 'xterm-256color' })).toBe(true);
  expect(hasColors({ TERM: 'xterm-256color', NO_COLOR: '1' })).toBe(false);
});

describe('the log for people', () => {
  test('has requests in columns, and everything else as name=value', () => {
    const lines = shown(false, (logger) => {
      requests(logger);
      logger.warn({ path: '/a b', mode: 448 }, 'other users could look');
    });
    expect(lines.map((line) => line.replace(time, ''))).toEqual([
      'INFO  GET     200        12 ms user/info                $0.001    requestId=r1 account=acc key=key\n',
      'INFO  DELETE  429         0 ms webhooks/delete                    rate_limited: key_rate_limit requestId=r1 account=acc key=key\n',
      'INFO  GET     hung_up     3 ms none                               requestId=r1\n',
      'WARN  other users could look path="/a b" mode=448\n',
    ]);
  });

  test('shows the calls and the cost of a GraphQL request, in dollars', () => {
    const [line] = shown(false, (logger) =>
      logger.info(
        {
          requestId,
          method: 'POST',
          action: 'graphql',
          status: '200',
          ms: 40,
          chargedMicros: 3_500,
          operationType: 'query',
          operationName: 'Feed',
          quotedMicros: 9_000,
          calls: 3,
          charges: { 'user/info': 1_000, 'webhooks/list': 2_500 },
        },
        'request',
      ),
    );
    expect(line).toMatch(/ \$0\.0035 +requestId=r1 operationType=query operationName=Feed calls=3 quoted=\$0\.009 /);
    expect(line).toContain('charges="user/info $0.001, webhooks/list $0.0025"');
  });

  test('colours what matters, in the same columns', () => {
    const plain = shown(false, requests).map((line) => line.replace(time, ''));
    const coloured = shown(true, requests);
    expect(coloured.map((line) => stripVTControlCharacters(line).replace(time, ''))).toEqual(plain);
    expect(coloured[0]).toContain('\u001b[32m200');
    expect(coloured[1]).toContain('\u001b[33mrate_limited: key_rate_limit');
  });

  test('shows the stack of an error, and of its cause', () => {
    const cause = new Error('the disk is full');
    const [line] = shown(false, (logger) => logger.error({ err: new Error('no', { cause }) }, 'failed'));
    expect(line).toMatch(/ERROR failed\n {4}Error: no.*\n( {4}at .*\n)+ {4}caused by: Error: the disk is full\n/);
  });

  test('removes terminal commands', () => {
    const controls = ['\u001b', '\u0007', '\u009b', '\u202e', '\r', '\n'];
    const evil = `${controls.join('x')}INFO forged`;
    const lines = shown(true, (logger) => {
      logger.info({ evil, [evil]: 1 }, evil);
      logger.warn({ err: new Error(evil) }, 'failed');
      logger.info({ requestId: evil, method: evil, action: evil, status: evil, ms: 1, reason: evil }, 'request');
    });
    for (const line of lines) {
      // This removes only the colours that the formatter adds. The escape sequences in `evil` do not match.
      const text = stripVTControlCharacters(line).replaceAll(/\n( {4}|$)/g, '');
      for (const control of controls) expect(text).not.toContain(control);
    }
  });
});
