import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromMarkdown } from '../../src/model/rich-text/from-markdown.ts';
import { toMarkdown } from '../../src/model/rich-text/to-markdown.ts';

const numRuns = 1_000;

/** What means something to Markdown, and what lies between. */
const piece = fc.constantFrom(
  ...[
    'a',
    'b c',
    ' ',
    '  ',
    '\n',
    '\n\n',
    '\t',
    '    ',
    '*',
    '**',
    '***',
    '_',
    '__',
    '`',
    '``',
    '```',
    '~~~',
    '#',
    '## ',
  ],
  ...[
    '> ',
    '- ',
    '+ ',
    '1. ',
    '7) ',
    '---',
    '===',
    '[',
    ']',
    '](',
    '(',
    ')',
    '![',
    '<',
    '>',
    '<b>',
    '</b>',
    '<!--',
    '&',
  ],
  ...[
    '&amp;',
    '&#32;',
    '&nbsp;',
    '\\',
    '\\\n',
    'http://a.example/x',
    '<http://a.example>',
    '[r]: /x "t"',
    '[r]',
    '"',
    "'",
    '|',
  ],
  ...['é', '漢', '🙂', '\ufffc', '.', '!', ':', '~', '=', '+'],
);
const soup = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

/** Documents as people write them. */
const words = fc
  .array(fc.constantFrom('the', 'ferry', 'is', 'late', 'snake_case', '2*3', 'a<b', 'C#', '#tag', '1.', '-'), {
    minLength: 1,
    maxLength: 5,
  })
  .map((list) => list.join(' '));
const inline = fc.oneof(
  words,
  words.map((text) => `**${text}**`),
  words.map((text) => `*${text}*`),
  words.map((text) => `\`${text}\``),
  words.map((text) => `[${text}](https://a.example/x "t")`),
  words.map((text) => `![${text}](https://a.example/x.png)`),
  words.map((text) => `**bold *both* [link](mailto:a@b.example)** ${text}`),
);
const line = fc.array(inline, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' '));
const block = fc.letrec<{ block: string; blocks: string }>((tie) => ({
  block: fc.oneof(
    { depthSize: 'small' },
    line,
    fc.tuple(fc.integer({ min: 1, max: 6 }), line).map(([level, text]) => `${'#'.repeat(level)} ${text}`),
    fc.constantFrom('---', '```js\nlet a = "`";\n```', '```\n\n  x\n\n```', '````\n```\n````'),
    tie('blocks').map((text) => text.replaceAll(/^/gm, '> ')),
    tie('blocks').map((text) => text.replaceAll(/^/gm, '  ').replace(/^ {2}/, '- ')),
    tie('blocks').map((text) => text.replaceAll(/^/gm, '   ').replace(/^ {3}/, '1. ')),
    fc.array(line, { minLength: 2, maxLength: 4 }).map((items) => items.map((item) => `- ${item}`).join('\n')),
    fc
      .array(line, { minLength: 2, maxLength: 4 })
      .map((items) => items.map((item, at) => `${at + 3}. ${item}`).join('\n')),
  ),
  blocks: fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map((blocks) => blocks.join('\n\n')),
})).blocks;

describe.each([
  ['documents', block],
  ['soup', soup],
  ['any text', fc.string({ unit: 'grapheme', maxLength: 200 })],
])('%s', (_name, markdown) => {
  test('read, written and read again is the same rich text, and is written the same way', () => {
    fc.assert(
      fc.property(markdown, (source) => {
        const read = fromMarkdown(source);
        const written = toMarkdown(read);
        expect(fromMarkdown(written)).toEqual(read);
        expect(toMarkdown(fromMarkdown(written))).toBe(written);
      }),
      { numRuns },
    );
  });
});
