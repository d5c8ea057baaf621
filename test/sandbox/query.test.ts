import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matcherOf } from '../../src/sandbox/search/match.ts';
import { BadQuery, parseQuery, type Query, UnknownOperator } from '../../src/sandbox/search/parse.ts';
import { buildDataset } from '../../src/sandbox/seed/build-dataset.ts';

const text = (word: string): Query => ({ kind: 'text', text: word });
const operator = (name: string, value: string): Query => ({ kind: 'operator', name, value });

describe('a query is parsed', () => {
  test.each<[string, Query | undefined]>([
    ['', undefined],
    ['   ', undefined],
    ['OR', undefined],
    ['()', undefined],
    ['-', undefined],
    ['coffee', text('coffee')],
    ['a b', { kind: 'and', parts: [text('a'), text('b')] }],
    ['a OR b', { kind: 'or', parts: [text('a'), text('b')] }],
    ['a or b', { kind: 'and', parts: [text('a'), text('or'), text('b')] }],
    ['a b OR c', { kind: 'or', parts: [{ kind: 'and', parts: [text('a'), text('b')] }, text('c')] }],
    ['a (b OR c)', { kind: 'and', parts: [text('a'), { kind: 'or', parts: [text('b'), text('c')] }] }],
    ['"a  b" -c', { kind: 'and', parts: [text('a  b'), { kind: 'not', part: text('c') }] }],
    ['-(a OR b)', { kind: 'not', part: { kind: 'or', parts: [text('a'), text('b')] } }],
    ['-"a b"', { kind: 'not', part: text('a b') }],
    ['"left open', text('left open')],
    ['“curly”', text('curly')],
    ['a) b', { kind: 'and', parts: [text('a'), text('b')] }],
    ['(a', text('a')],
    ['OR a OR', text('a')],
    ['from:Ada', operator('from', 'Ada')],
    ['FROM:@ada', operator('from', '@ada')],
    ['-to:grace', { kind: 'not', part: operator('to', 'grace') }],
    ['#Coffee', { kind: 'hashtag', tag: 'coffee' }],
    ['$TEA', { kind: 'cashtag', symbol: 'tea' }],
    ['$5', text('$5')],
    ['@Grace', { kind: 'mention', name: 'grace' }],
    ['has:images', operator('has', 'images')],
    ['url:"https://a.example/b c"', operator('url', 'https://a.example/b c')],
    ['http://a.example/b:c', text('http://a.example/b:c')],
    ['https://a.example', text('https://a.example')],
    ['12:30', text('12:30')],
    ['note:', text('note')],
  ])('%s', (source, expected) => {
    expect(parseQuery(source)).toEqual(expected);
  });

  test.each([
    ['colour:red', 'colour'],
    ['a -near:Porto', 'near'],
    ['(has:hats)', 'has:hats'],
  ])('%s is refused, naming %s', (source, operator) => {
    expect(() => parseQuery(source)).toThrow(new UnknownOperator(operator));
  });

  test.each(['lang:english', 'min_likes:-1', 'from:', 'from:a-b', 'to:much_too_long_a_name'])(
    '%s is refused',
    (source) => {
      expect(() => parseQuery(source)).toThrow(BadQuery);
    },
  );

  test('any text is parsed or refused, and every parsed query can be matched', () => {
    const dataset = buildDataset('postern', Date.UTC(2026, 0, 1));
    const directory = { userNamed: dataset.userNamed, lists: dataset.lists, viewer: null };
    const operators = ['-', 'OR', ' ', ':', 'from:', 'min_likes:1', 'has:'];
    const scraps = [...operators, '"', '“', '(', ')', 'ada', '#', '@', '$', '👋'];
    const source = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(fc.oneof(fc.constantFrom(...scraps), fc.string({ maxLength: 3 }))).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(source, (typed) => {
        try {
          const query = parseQuery(typed);
          if (query !== undefined) dataset.tweets.slice(0, 20).some(matcherOf(query, directory));
        } catch (error) {
          if (!(error instanceof UnknownOperator || error instanceof BadQuery)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('a printed query is parsed to the same tree', () => {
    fc.assert(
      fc.property(tree, (query) => {
        expect(flat(parseQuery(written(query)))).toEqual(flat(query));
      }),
      { numRuns: 500 },
    );
  });
});

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const { tree } = fc.letrec<{ tree: Query; leaf: Query }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    tie('tree').map((part): Query => ({ kind: 'not', part })),
    fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((parts): Query => ({ kind: 'and', parts })),
    fc.array(tie('tree'), { minLength: 2, maxLength: 3 }).map((parts): Query => ({ kind: 'or', parts })),
  ),
  leaf: fc.oneof(
    word.map(text),
    fc.tuple(word, word).map(([a, b]) => text(`${a} ${b}`)),
    word.map((name) => operator('from', name)),
    word.map((tag): Query => ({ kind: 'hashtag', tag })),
    fc.constantFrom('links', 'media').map((value) => operator('has', value)),
  ),
}));

function written(query: Query): string {
  switch (query.kind) {
    case 'text':
      return query.text.includes(' ') ? `"${query.text}"` : query.text;
    case 'hashtag':
      return `#${query.tag}`;
    case 'operator':
      return `${query.name}:${query.value}`;
    case 'not':
      return `-(${written(query.part)})`;
    case 'and':
      return query.parts.map((part) => `(${written(part)})`).join(' ');
    case 'or':
      return query.parts.map((part) => `(${written(part)})`).join(' OR ');
    default:
      throw new Error(query.kind);
  }
}

/** Removes brackets around a single part, because only these may differ between a query and its printed form. */
function flat(query: Query | undefined): Query | undefined {
  if (query?.kind === 'not') return { kind: 'not', part: flat(query.part) ?? query.part };
  if (query?.kind !== 'and' && query?.kind !== 'or') return query;
  const parts = query.parts.map((part) => flat(part) ?? part);
  return parts.length === 1 ? parts[0] : { kind: query.kind, parts };
}
