import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidResponseError } from '../../../src/platform/http/errors.ts';
import { toMarkdown } from '../../../src/shared/rich-text/to-markdown.ts';
import { readRichText } from '../../../src/shared/rich-text/wire.ts';
import { expectQuick } from '../../support/processor-time.ts';

const fail = (message: string) => new InvalidResponseError(message);
const copies = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('the content of an untrusted article', () => {
  const link = (url: string) => ({ type: 'LINK', url });
  const block = (text: string, fields = {}) => ({ type: 'unstyled', text, ...fields });
  const ranges = (count: number, length = 1) =>
    Array.from({ length: count }, (_, at) => ({ offset: at, length, entity: 0 }));
  const contentOf = (blocks: unknown[], url = 'https://example.org') => ({
    ...{ blocks, entities: [link(url)], containers: copies(101, { type: 'quote' }) },
  });

  test.each([
    ['a long address in many links', [block('a'.repeat(500), { entities: ranges(500) })], 'a'.repeat(100_000)],
    ['many lines in many quotes', [block('\n'.repeat(100_000), { within: copies(10, 0) })]],
    ['more than 100 containers around a block', [block('a', { within: copies(101, 0) })]],
    ['more than 8 styles per character', [block('a', { styles: copies(9, { offset: 0, length: 1, style: 'BOLD' }) })]],
    ['a link outside of the text', [block('a', { entities: [{ offset: 0, length: 2, entity: 0 }] })]],
    ['an empty link', [block('a', { entities: [{ offset: 0, length: 0, entity: 0 }] })]],
  ])('is unreadable with %s', async (_name, blocks, url?: string) => {
    const content = contentOf(blocks, url);
    expect(() => readRichText(content, fail)).toThrow(InvalidResponseError);
    await expectQuick(500, () => expect(() => readRichText(content, fail)).toThrow());
  });

  test('has no link in another link', () => {
    const place = fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 5 }));
    fc.assert(
      fc.property(fc.array(place, { maxLength: 15 }), (places) => {
        const entities = places.map(([offset, length]) => ({ offset, length, entity: 0 }));
        const [read] = readRichText(contentOf([block('a'.repeat(30), { entities })]), fail).blocks;
        let endBefore = 0;
        for (const { offset, length } of read?.links ?? []) {
          expect(offset).toBeGreaterThanOrEqual(endBefore);
          endBefore = offset + length;
        }
        expect(endBefore > 0).toBe(places.length > 0);
      }),
    );
  });

  test('is written as Markdown in time that grows with its length, however its links overlap', async () => {
    const entities = ranges(50_000, 8).slice(0, 49_000);
    const text = readRichText(contentOf([block('a'.repeat(50_000), { entities })]), fail);
    expect(text.blocks[0]?.links).toHaveLength(49_000 / 8);
    await expectQuick(5_000, () => toMarkdown(text));
  });
});
