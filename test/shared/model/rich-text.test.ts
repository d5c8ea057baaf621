import { describe, expect, test } from 'vitest';
import { fromMarkdown, TooDeepError } from '../../../src/shared/rich-text/from-markdown.ts';
import { toMarkdown } from '../../../src/shared/rich-text/to-markdown.ts';
import { expectQuick } from '../../support/processor-time.ts';
import { repetitions } from '../../support/repetitions.ts';

const everything = `# A title

Some **bold**, some *italic*, **both *at* once**, \`code\`, a [link](https://a.example/x "with a title") and\\
a line break.

![A boat](https://a.example/boat.png "At sea") in a line.

- one
- two
  - two and a half
  - [ ] nearly three

    with a second paragraph
- three

3. third
4. fourth

> A quote
>
> 1. with a list
>
> \`\`\`js title
> let a = 1;
> \`\`\`

---

###### The end`;

describe('Markdown', () => {
  test('comes back as it was', () => {
    expect(toMarkdown(fromMarkdown(everything)).split('\n')).toEqual(
      // A list with one loose item is a loose list for the parser.
      everything.replace('  - two and a half\n', '  - two and a half\n\n').split('\n'),
    );
  });

  test('in the description of an image keeps its tildes, since that is plain text', () => {
    const picture = '![~~a~~ *b*](http://a.example/b.png)';
    expect(fromMarkdown(picture).entities).toMatchObject([{ alt: '~~a~~ b' }]);
    expect(fromMarkdown(toMarkdown(fromMarkdown(picture)))).toEqual(fromMarkdown(picture));
  });

  test('becomes blocks of plain text, with what is said of them beside it', () => {
    expect(fromMarkdown('## On *looms*\n\n> - **a** [b](http://c.example) ![d](http://e.example/f.png)')).toEqual({
      blocks: [
        {
          type: 'header-two',
          text: 'On looms',
          info: '',
          links: [],
          within: [],
          styles: [{ offset: 3, length: 5, style: 'ITALIC' }],
        },
        {
          type: 'unstyled',
          text: 'a b \ufffc',
          info: '',
          within: [0, 1, 2],
          styles: [{ offset: 0, length: 1, style: 'BOLD' }],
          links: [
            { offset: 2, length: 1, entity: 0 },
            { offset: 4, length: 1, entity: 1 },
          ],
        },
      ],
      entities: [
        { type: 'LINK', url: 'http://c.example', title: '' },
        { type: 'MEDIA', mediaId: null, url: 'http://e.example/f.png', alt: 'd', title: '' },
      ],
      containers: [{ type: 'quote' }, { type: 'unordered-list', loose: false }, { type: 'list-item' }],
    });
  });

  test.each([
    ['**日本語。**です', '日本語。です', 'BOLD'],
    ['これは*「重要」*です', 'これは「重要」です', 'ITALIC'],
    ['**한국어(조선말)**는', '한국어(조선말)는', 'BOLD'],
    ['他说**“你好。”**然后', '他说“你好。”然后', 'BOLD'],
    ['注意**（全角）**𠮷', '注意（全角）𠮷', 'BOLD'],
    ['**[リンク](https://a.example)**です', 'リンクです', 'BOLD'],
  ])('has emphasis beside Chinese, Japanese and Korean punctuation: %s', (markdown, text, style) => {
    expect(fromMarkdown(markdown).blocks).toMatchObject([{ text, styles: [{ style }] }]);
    expect(fromMarkdown(toMarkdown(fromMarkdown(markdown)))).toEqual(fromMarkdown(markdown));
  });

  test.each(['', ' \n ', '[r]: http://a.example'])('that shows nothing (%j) is nothing', (markdown) => {
    expect(fromMarkdown(markdown).blocks).toEqual([]);
    expect(toMarkdown(fromMarkdown(markdown))).toBe('');
  });

  test.each([
    '<script>alert(1)</script>',
    'a <b onclick="x()">b</b> c',
    '<!-- nothing -->',
    '<div>\n\n**bold**\n\n</div>',
    '<img src=x onerror=alert(1)>',
  ])('that is HTML (%s) is text like any other', (markdown) => {
    const { blocks, entities } = fromMarkdown(markdown);
    expect(blocks.flatMap(({ type, text }) => [type, text]).join(' ')).toContain('<');
    expect(entities).toEqual([]);
    expect(fromMarkdown(toMarkdown(fromMarkdown(markdown)))).toEqual(fromMarkdown(markdown));
  });

  const scripts = ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x'];
  test.each([...scripts, 'file:///etc/passwd', '/x', '#x'])('of a link to %s keeps the words alone', (url) => {
    const { blocks, entities } = fromMarkdown(`See [the *site*](${url}).`);
    expect(blocks[0]).toMatchObject({ text: 'See the site.', links: [] });
    expect(entities).toEqual([]);
  });

  test.each(['http://a.example/', 'https://a.example/?q=a#c', 'mailto:a@b.example'])('keeps a link to %s', (url) => {
    expect(toMarkdown(fromMarkdown(`[x](${url})`))).toBe(`[x](${url})`);
  });

  test('may nest twenty lists, and no more', () => {
    const nested = (depth: number) => Array.from({ length: depth }, (_, at) => `${'  '.repeat(at)}- a`).join('\n');
    expect(toMarkdown(fromMarkdown(nested(20)))).toBe(nested(20));
    expect(() => fromMarkdown(nested(21))).toThrow(TooDeepError);
    expect(() => fromMarkdown('>'.repeat(100_000))).toThrow(TooDeepError);
  });
});

describe('100,000 characters that mean harm are read and written in time', () => {
  const inline = ['[', '![', '*', '*a*', '**a* ', '_a ', '`', '` ', 'a`', '[a](', '[a][', '<', '<a ', '\\'];
  const starts = ['>', '> ', '1. ', '- '];
  const extensions = ['~~', '~~a', '~~a~~ ', 'a~~ ', '~~*a ', '|', '|a', '$$', '[^a]', '[x] ', '[^', '[^a]: b\n'];
  const tables = ['| a |\n|---|\n', '|a|b|c|\n|-|-|\n', '|-|\n', ': a\n', '> [!a]\n\n', '- [ ] a\n', '$$\n', '~~a\n'];
  const lines = ['a\n', '- a\n', '> a\n', 'a\n=\n', '[a]: b\n', '***\n', '~~~\n', '\n', '>>>>>>>>>>a\n'];
  const length = repetitions(15_000, 100_000);

  test.each([...inline, ...starts, ...extensions, ...tables, ...lines])('%j', async (piece) => {
    const markdown = piece.repeat(length / piece.length);
    // The parser needs 0.8 s at most for 100,000 characters on the slowest machine. Quadratic behaviour would take minutes.
    await expectQuick(repetitions(1_500, 10_000), () => {
      try {
        const read = fromMarkdown(markdown);
        const written = toMarkdown(read);
        expect(written.length).toBeGreaterThanOrEqual(0);
      } catch (error) {
        expect(error).toBeInstanceOf(TooDeepError);
      }
    });
  });
});
