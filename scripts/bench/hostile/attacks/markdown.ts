// Attacks with articles in Markdown, which the service parses and generates.
const longest = 99_000;
const fill = (text, length = longest) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

const texts = {
  '`*x* `': fill('*x* '),
  '`*a **a `': fill('*a **a '),
  '`_a __a `': fill('_a __a '),
  '`***`': `${fill('*')}x`,
  '`*a_ `': fill('*a_ '),
  '`[`': fill('['),
  '`![`': fill('!['),
  '`[a](b) `': fill('[a](b) '),
  '`[a](`': fill('[a]('),
  '`[a](<b`': fill('[a](<b'),
  '`](x)`': fill('](x)'),
  'link definitions': `${Array.from({ length: 3_000 }, (_, i) => `[a${i}]: http://x.example/${i}`).join('\n')}\n\n${fill('[a1] ', 20_000)}`,
  'backticks of all lengths': Array.from({ length: 400 }, (_, i) => `${'`'.repeat(i + 1)}a`).join(' '),
  '`` ` ``': fill('`a '),
  '`> `': `${'> '.repeat(30)}${fill('a > ')}`.slice(0, longest),
  '`>`, one a line': fill('> a\n>\n'),
  '`1. `': fill('1. '),
  '`- a`, one a line': fill('- a\n'),
  '`a\\`, one a line': fill('a\\\n'),
  '`a`, one a line': fill('a\n'),
  '`a`, one a paragraph': fill('a\n\n'),
  '`# a`, one a line': fill('# a\n'),
  '`---`, one a line': fill('---\n\n'),
  '`&amp;`': fill('&amp;'),
  '`<a@b.c>`': fill('<a@b.c> '),
  '`<`': fill('<'),
  '`<!--`': fill('<!-- '),
  '`\\*`': fill('\\*'),
  spaces: `a${fill(' ')}b`,
  tabs: `a\n${fill('\t')}b`,
  'zero-width joiners': fill('a\u200d'),
  'astral characters': `${'👩‍👩‍👧‍👧'.repeat(9_000)}`,
  'one word': fill('a'),
  'code fence': `~~~\n${fill('~~\n', 90_000)}`,
};

const article = (content, more) => ({ title: 'Hostile', content, ...more });

/** Creates an article with the text and reads it through REST and GraphQL. */
function createAndRead(content) {
  return async (target) => {
    const created = await target.rest('POST', '/article/create', article(content));
    const id = created.json?.data?.article_id;
    if (id === undefined) return;
    await target.rest('GET', `/article/detail?article_id=${id}`);
    await target.graphql('query($id:String!){article(articleId:$id){content}}', { id });
  };
}

const aliases = (count) =>
  Array.from({ length: count }, (_, i) => `a${i}:createArticle(input:$i){article{id}}`).join(' ');
const aliased = (content, options) => (target) =>
  target.graphql(`mutation($i:CreateArticleInput!){${aliases(100)}}`, { i: { title: 'Hostile', content } }, options);

export const attacks = {
  'markdown: 100 aliases of createArticle, no credit': aliased(texts['`*x* `'], { key: 'poor' }),
  'markdown: 100 aliases of createArticle, x-cost-only': aliased(texts['`*x* `'], { headers: { 'x-cost-only': '1' } }),
  'markdown: 100 aliases, each of another text': (target) => {
    const names = Array.from({ length: 9 }, (_, i) => i);
    return target.graphql(
      `mutation(${names.map((i) => `$i${i}:CreateArticleInput!`).join(' ')}){${Array.from({ length: 99 }, (_, i) => `a${i}:createArticle(input:$i${i % 9}){article{id}}`).join(' ')}}`,
      Object.fromEntries(names.map((i) => [`i${i}`, article(`${i}${texts['`*x* `']}`)])),
      { key: 'poor' },
    );
  },
  'markdown: 20 creates at once, no credit': (target) =>
    target.many(20, 20, (i) =>
      target.rest('POST', '/article/create', article(`${i}${texts['`*x* `']}`), { key: 'poor' }),
    ),
  'markdown: 20 creates at once': (target) =>
    target.many(20, 20, (i) => target.rest('POST', '/article/create', article(`${i}${texts['`*x* `']}`))),
  ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [`markdown: ${name}`, createAndRead(text)])),
};
