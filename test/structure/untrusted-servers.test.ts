import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const src = new URL('../../src/', import.meta.url);
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

/** Returns the files of `folders` that match the pattern. */
function filesWith(pattern: RegExp, folders: RegExp = /./): string[] {
  const texts = files
    .filter((file) => folders.test(file))
    .map((file) => [file, readFileSync(new URL(file, src), 'utf8')]);
  return texts.flatMap(([file = '', text = '']) => (pattern.test(text) ? [file] : [])).sort();
}

test('JSON from servers is parsed within limits', () => {
  const servers = /^(outbound|media|platform|webhooks\/(registration|delivery|polling))\//;
  expect(filesWith(/JSON\.parse\(/, servers)).toEqual([
    // Values that Postern itself has sealed or stored.
    'platform/atproto/logins.ts',
    'platform/atproto/media.ts',
    // These scan the text before they parse it.
    'platform/http/answer.ts',
    // A text of at most 16 KiB in such a response.
    'platform/juicebox/config.ts',
    'platform/sandbox/article-tasks.ts',
    // A cursor and a stored outcome.
    'webhooks/registration/handshakes.ts',
    'webhooks/registration/views.ts',
  ]);
});

test('connections are opened by outbound, except to servers of the operator', () => {
  expect(filesWith(/new (Agent|Client|Pool|ProxyAgent)\(/, /^(?!cli|client|sandbox|console)/)).toEqual([
    'outbound/connector.ts',
    'outbound/limited-client.ts',
    'platform/atproto/jetstream.ts',
    'platform/sandbox/demo-dataset.ts',
  ]);
});

test("callers' input does not reach look-ups and cryptography on libuv's threads", () => {
  expect(filesWith(/from 'node:dns/)).toEqual(['outbound/name-resolver.ts']);
  const asynchronous =
    /import \{[^}]*\b(scrypt|pbkdf2|hkdf|generateKeyPair)\b[^}]*\} from 'node:crypto'|\.subtle\b|\blookup\(/;
  expect(filesWith(asynchronous, /^(?!client|console)/)).toEqual([]);
});
