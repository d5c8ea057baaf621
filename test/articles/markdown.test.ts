import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ArticleFixture, startArticleFixture, type Writer } from './fixture.ts';

let fixture: ArticleFixture;
let writer: Writer;

beforeAll(async () => {
  fixture = await startArticleFixture();
  writer = await fixture.writer();
});
afterAll(() => fixture.stop());

async function roundTrip(content: string): Promise<unknown> {
  const made = await writer.act('create', { title: 'Round trip', content });
  expect(made.status, String(made.error)).toBe(200);
  return (await writer.read(String(made.data['article_id'])))['content'];
}

describe('Markdown comes back', () => {
  test.each([
    ['task lists', '- [ ] warp\n- [x] weft\n  - [X] **both**'],
    ['numbered tasks', '1. [ ] one\n2. [x] two'],
    ['tasks with paragraphs', '- [ ] one\n\n  more\n\n- [x] two'],
    ['bare addresses', 'See https://a.example/~ada, www.a.example and ada@a.example'],
    ['autolinks', '<https://a.example> and <ada@a.example>'],
    ['inline math', 'So $x^2$ costs $5 or $6, $$y$$ more'],
    ['single tildes', 'H~2~O in ~5 minutes'],
    ['pipes', 'Yes | No'],
    ['pipes over a rule', 'Yes | No\n\n---'],
    ['nested lists and quotes', '> > a\n>\n> - b\n>   - c\n>\n>     d'],
    ['code with an info string', '```js title="a.js"\n| a |\n|---|\n~~b~~\n```'],
    ['extensions in code', 'Write `~~this~~` or `[^1]`'],
    ['image titles', '[a](https://a.example "of a link")'],
    ['hard breaks', 'a\\\nb'],
    ['a rule and a heading', '---\n\n## title: x'],
  ])('as it was written: %s', async (_name, content) => {
    expect(await roundTrip(content)).toBe(content);
  });

  test.each([
    ['setext headings', 'Why\n===\n\nHow\n---', '# Why\n\n## How'],
    ['reference links', '[a][r]\n\n[r]: https://a.example "t"', '[a](https://a.example "t")'],
    ['other fences', '~~~py\na\n~~~', '```py\na\n```'],
    ['indented code', '    a', '```\na\n```'],
    ['breaks by spaces', 'a  \nb', 'a\\\nb'],
    ['wrapped lines', 'a\nb', 'a b'],
    ['other markers', '* a\n* b\n\n***\n\n1) __c__', '- a\n- b\n\n---\n\n1. **c**'],
    ['HTML, which is text', 'a <b>c</b>', 'a \\<b>c\\</b>'],
    ['escaped extensions', '\\~\\~a\\~\\~\n\n\\[^1]: b\n\n> \\[!NOTE]', '\\~~a\\~\\~\n\n\\[^1]: b\n\n> \\[!NOTE]'],
    ['an escaped table', '| a |\\\n\\|---|', '\\| a |\\\n\\|---|'],
    ['a lonely construct', '~~ a [ ] b [^1] c | d\n|', '\\~~ a \\[ ] b \\[^1] c | d |'],
    ['a checkbox without a task', '- [ ]\n\n[x] a', '- \\[ ]\n\n\\[x] a'],
  ])('with the same meaning: %s', async (_name, content, written) => {
    expect(await roundTrip(content)).toBe(written);
    expect(await roundTrip(written)).toBe(written);
  });
});

describe('Markdown is refused with the name and the line of', () => {
  test.each([
    ['tables are not supported (line 3)', 'Prices\n\n| a | b |\n|---|---|\n| 1 | 2 |'],
    ['tables are not supported (line 2)', 'a\nb | c\n:-: | ---'],
    ['tables are not supported (line 3)', '> - x\n>\n>   | a |\n>   |---|'],
    ['strikethrough is not supported (line 5)', 'a\n\nb `c\nd`\n**e ~~gone~~**'],
    ['strikethrough is not supported (line 2)', '- [ ] ~~ a\n- [x] ~~b~~'],
    ['footnotes are not supported (line 3)', 'a[^1]\n\n[^1]: /note'],
    ['footnotes are not supported (line 2)', 'a\n[^long-name]: several words'],
    ['definition lists are not supported (line 2)', 'Warp\n: what is taut'],
    ['front matter is not supported (line 1)', '---\ntitle: x\n---\n\nbody'],
    ['front matter is not supported (line 1)', '+++\r\ntitle = "x"\r\n+++\r\nbody'],
    ['alerts are not supported (line 2)', '\n> [!NOTE]\n> a'],
    ['math blocks are not supported (line 1)', '$$\na \\\\ b\n$$'],
    [
      'strikethrough is not supported (line 1); tables are not supported (line 3); footnotes are not supported (line 6)',
      '~~a~~ ~~b~~\n\n| a |\n|---|\n\n[^1]: c\n\n~~d~~',
    ],
  ])('%s', async (reason, content) => {
    const error = `Malformed field: content: ${reason}. Remove the markup, or put it into a code block or code span`;
    expect(await writer.act('create', { title: 'Refused', content })).toMatchObject({ status: 400, error });
    expect((await writer.act('update', { article_id: '1', content })).error).toBe(error);
  });
});

test('a task is shown with its checkbox as text', async () => {
  const content = '- [ ] warp\n- [x] <b>weft</b>';
  const { data } = await writer.act('create', { title: 'Tasks', content, publish: true });
  const page = await (await fetch(String(data['public_url']), { headers: { accept: 'text/html' } })).text();
  expect(page).toContain('<li><p>[ ] warp</p>');
  expect(page).toContain('<li><p>[x] &#60;b&#62;weft');
});
