import { setFlagsFromString } from 'node:v8';
import { afterEach, expect, test } from 'vitest';
import { decodeMedia } from '../../src/media/base64.ts';

afterEach(() => setFlagsFromString('--regexp-optimization'));

// V8 compiles regular expressions without optimisation after it has compiled many of them.
test('large media is decoded when V8 does not optimise regular expressions', async () => {
  setFlagsFromString('--no-regexp-optimization');
  const bytes = Buffer.alloc(9 * 1024 * 1024, 'media');
  const { slices, type } = await decodeMedia(`data:image/png;base64,${bytes.toString('base64')}`);
  expect(Buffer.concat(slices).equals(bytes)).toBe(true);
  expect(type).toBe('image/png');
});

test.each(['=', '==', '===', 'A=AA', 'AAAAA', 'AA=', 'AAA==', 'AAA-', 'AA\nAA', 'AAAA====', '=AAA'])(
  '%j is refused, because it is not base64',
  (text) => expect(decodeMedia(text)).rejects.toThrow('is not base64'),
);

test.each(['AAAA', 'AAA=', 'AAA', 'AA==', 'AA'])('%j is decoded, with or without its padding', async (text) => {
  const { slices } = await decodeMedia(text);
  expect(Buffer.concat(slices)).toEqual(Buffer.alloc(text.replaceAll('=', '').length - 1));
});
