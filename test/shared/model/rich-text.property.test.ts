import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toContentState } from '../../../src/platform/x/content-state.ts';
import { readContentState } from '../../../src/sandbox/x/content-state.ts';
import { fromMarkdown } from '../../../src/shared/rich-text/from-markdown.ts';
import { toMarkdown } from '../../../src/shared/rich-text/to-markdown.ts';
import { readRichText, richTextToWire } from '../../../src/shared/rich-text/wire.ts';
import { repetitions } from '../../support/repetitions.ts';

const numRuns = repetitions(60, 400);

/** Characters with a meaning in Markdown, and others. */
const spaces = [' ', '  ', '\n', '\n\n', '\t', '    '];
const emphases = ['*', '**', '***', '_', '__', '`', '``', '```', '~~~', '~'];
const blockStarts = ['#', '## ', '> ', '- ', '+ ', '1. ', '7) ', '---', '===', '=', '+'];
const brackets = ['[', ']', '](', '(', ')', '![', '[r]: /x "t"', '[r]', '<', '>'];
const markup = ['<b>', '</b>', '<!--', '&', '&amp;', '&#32;', '&nbsp;', 'http://a.example/x', '<http://a.example>'];
const others = [
  'a',
  'b c',
  '\\',
  '\\\n',
  '"',
  "'",
  '|',
  'é',
  '漢',
  '는',
  '。',
  '「',
  '（',
  '“',
  '🙂',
  '\ufffc',
  '.',
  '!',
  ':',
];
const piece = fc.constantFrom(...spaces, ...emphases, ...blockStarts, ...brackets, ...markup, ...others);
const soup = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

/** Constructs of extensions, and text that looks similar. */
const tables = ['| a | b |', '|---|:-:|', '--- | ---', 'a | b', '|', ':-'];
const tasks = ['~~', '~~gone~~', '~', '- [ ] ', '- [x] ', '[X] ', '[ ]'];
const notes = ['[^1]', '[^1]: ', '[^1]: /x', '> [!NOTE]', '[!NOTE]', '$$', '$x$', ': ', '\\\n', '\u2028'];
const headers = ['+++', 'k: v', 'k = 1', '---'];
const extension = fc.constantFrom(...tables, ...tasks, ...notes, ...headers);
const extended = fc.array(fc.oneof(extension, extension, piece), { maxLength: 20 }).map((pieces) => pieces.join(''));
const extendedLines = fc
  .array(fc.tuple(extension, fc.oneof(extension, piece), fc.constantFrom('\n', '\n', '\\\n', '  \n', '\n\n')), {
    maxLength: 8,
  })
  .map((lines) => lines.flat().join(''));

/** Typical documents. */
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
      .map((items) => items.map((item, at) => `- [${at % 2 ? 'x' : ' '}] ${item}`).join('\n')),
    fc
      .array(line, { minLength: 2, maxLength: 4 })
      .map((items) => items.map((item, at) => `${at + 3}. ${item}`).join('\n')),
  ),
  blocks: fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map((blocks) => blocks.join('\n\n')),
})).blocks;

describe.each([
  ['documents', block],
  ['soup', soup],
  ['extensions', extended],
  ['lines of extensions', extendedLines],
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

  test('written for X, read by the sandbox and written again is the same', async () => {
    await fc.assert(
      fc.asyncProperty(markdown, async (source) => {
        const read = fromMarkdown(source);
        const entities = read.entities.map((each) => (each.type === 'MEDIA' ? { ...each, mediaId: '1' } : each));
        const written = toContentState({ ...read, entities });
        const wire = richTextToWire(await readContentState(written));
        const again = readRichText(wire, (message) => new Error(message));
        expect(toContentState(again)).toEqual(written);
      }),
      { numRuns },
    );
  });
});

test.each([
  ['extensions', extended],
  ['lines of extensions', extendedLines],
  ['soup', soup],
])('%s with a backslash before every character that means something are text', (_name, source) => {
  fc.assert(
    fc.property(source, (text) => {
      const read = fromMarkdown(text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&'));
      expect(fromMarkdown(toMarkdown(read))).toEqual(read);
    }),
    { numRuns },
  );
});

test('text that the platform has is written so that it is accepted, whatever it looks like', () => {
  fc.assert(
    fc.property(fc.array(extendedLines, { minLength: 1, maxLength: 3 }), fc.boolean(), (texts, listed) => {
      const blocks = texts.map((text) => ({
        ...({ type: 'unstyled', info: '', styles: [], links: [] } as const),
        text: text.trim().replaceAll(/\s*\n\s*/g, '\n'),
        within: listed ? [0, 1] : [],
      }));
      const containers = [{ type: 'unordered-list', loose: false } as const, { type: 'list-item' } as const];
      const written = toMarkdown({ blocks, entities: [], containers: listed ? containers : [] });
      const read = fromMarkdown(written);
      expect(toMarkdown(read)).toBe(toMarkdown(fromMarkdown(toMarkdown(read))));
      const words = (from: readonly { text: string }[]) => from.map(({ text }) => text.replaceAll(/\s/g, '')).join('');
      expect(words(read.blocks)).toBe(words(blocks));
    }),
    { numRuns },
  );
});
