import { describe, expect, test } from 'vitest';
import { startArticleFixture } from './fixture.ts';

const fixture = await startArticleFixture();
const writer = await fixture.writer();

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
    [
      'extensions, which are text',
      '~~a~~\n\nb[^1] $x$\n\n| c |\n|---|\n\n> [!NOTE]',
      '\\~~a~~\n\nb\\[^1] $x$\n\n| c | |---|\n\n> \\[!NOTE]',
    ],
    ['escaped extensions', '\\~\\~a\\~\\~\n\n\\[^1]: b\n\n> \\[!NOTE]', '\\~~a~~\n\n\\[^1]: b\n\n> \\[!NOTE]'],
    ['a lonely construct', '~~ a [ ] b [^1] c | d\n|', '\\~~ a \\[ ] b \\[^1] c | d |'],
    ['a checkbox without a task', '- [ ]\n\n[x] a', '- \\[ ]\n\n\\[x] a'],
  ])('with the same meaning: %s', async (_name, content, written) => {
    expect(await roundTrip(content)).toBe(written);
    expect(await roundTrip(written)).toBe(written);
  });
});

test('a task is shown with its checkbox as text', async () => {
  const content = '- [ ] warp\n- [x] <b>weft</b>';
  const { data } = await writer.act('create', { title: 'Tasks', content, publish: true });
  const page = await (await fetch(String(data['public_url']), { headers: { accept: 'text/html' } })).text();
  expect(page).toContain('<li><p>[ ] warp</p>');
  expect(page).toContain('<li><p>[x] &#60;b&#62;weft');
});
