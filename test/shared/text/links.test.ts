import { describe, expect, test } from 'vitest';
import { facetsOf, findMarks } from '../../../src/platform/atproto/facets.ts';
import { findLinks } from '../../../src/shared/text/links.ts';
import { expectQuick } from '../../support/processor-time.ts';

describe('link finder', () => {
  test.each([
    // Emoji, symbols, and letters of scripts that are written without spaces end a link.
    ['詳しくはhttps://example.com/abcをご覧ください', 'https://example.com/abc'],
    ['여기https://example.com/a를 보세요', 'https://example.com/a'],
    ['请看bit.ly/x谢谢', 'bit.ly/x'],
    ['ดูที่https://example.com/xนะ', 'https://example.com/x'],
    ['今日はx.comで', 'x.com'],
    ['https://a.co.jpです。次は', 'https://a.co.jp'],
    ['（youtu.be/x）、「https://example.com/a」', 'youtu.be/x', 'https://example.com/a'],
    ['👍https://example.com/x❤️→x.ai', 'https://example.com/x', 'x.ai'],
    // Brackets, quotes, Markdown syntax and punctuation
    ['(https://example.com/Foo_(bar))', 'https://example.com/Foo_(bar)'],
    ['[a](https://example.com/x)[b](https://example.com/y)', 'https://example.com/x', 'https://example.com/y'],
    ['https://example.com/x(see below)', 'https://example.com/x'],
    ['**https://example.com/a** _https://example.com/b_', 'https://example.com/a', 'https://example.com/b'],
    ['~~https://example.com/a.~~ `https://example.com/b`', 'https://example.com/a', 'https://example.com/b'],
    [`{"url":"https://example.com/x","id":1}`, 'https://example.com/x'],
    [`['https://example.com/x','https://example.com/it's']`, 'https://example.com/x', `https://example.com/it's`],
    ['https://example.com/x. “https://example.com/y”!', 'https://example.com/x', 'https://example.com/y'],
    ['https://docs.example/a#object.__init__', 'https://docs.example/a#object.__init__'],
    // Hosts and schemes
    ['bit.ly/x, youtu.be/x and x.ai.', 'bit.ly/x', 'youtu.be/x', 'x.ai'],
    ['Link:bit.ly/x url=example.com', 'bit.ly/x', 'example.com'],
    ['HTTPS://A.EXAMPLE?q=1 https://a.unknown:8080/~me/', 'HTTPS://A.EXAMPLE?q=1', 'https://a.unknown:8080/~me/'],
    ['https://例え.jp/x https://münchen.de/ü', 'https://例え.jp/x', 'https://münchen.de/ü'],
    ['https://a.example/?u=https://b.example/x', 'https://a.example/?u=https://b.example/x'],
    ['john.me@example.com @ada.example.com #a.com $b.com a/b.com https://ada:pw@example.com'],
    [
      'node.js e.g. this 3.14 v1.2.3 http://localhost:3000 http://1.2.3.4/x no.url.at.all a..com xhttps://a.com ftp://a.com',
    ],
  ])('finds the links of %s', (text, ...links) => {
    const found = findLinks(text);
    expect(found.map(({ link }) => link)).toEqual(links);
    for (const { link, start, end } of found) expect(text.slice(start, end)).toBe(link);
  });

  const host = 'https://a.example/';
  test.each([
    `${host}(a`,
    `(${host}(`,
    `${host}"`,
    "'a",
    '*',
    'a.',
    '日https://a.exampleを',
    '://日.',
    ' a.com',
    'https:',
  ])('reads 100,000 characters of %s in linear time', async (piece) => {
    await expectQuick(2_000, () => void findLinks(`${host}${piece.repeat(100_000 / piece.length)}`));
  });
});

test('AT Protocol facets: have byte offsets and do not overlap', () => {
  const text = '#日本語https://a.example/#xを、 #tag (bit.ly/x)';
  const facets = facetsOf(text, findMarks(text), new Map()).map(({ index, features: [feature] }) => {
    const { byteStart, byteEnd } = index;
    return [Buffer.from(text).subarray(byteStart, byteEnd).toString(), { ...feature, $type: undefined }];
  });
  expect(facets).toEqual([
    ['#日本語', { tag: '日本語' }],
    ['https://a.example/#x', { uri: 'https://a.example/#x' }],
    ['#tag', { tag: 'tag' }],
    ['bit.ly/x', { uri: 'https://bit.ly/x' }],
  ]);
});
