// Attacks with articles in Markdown, which the service parses and generates.

import { type Attack, type Attacks, attacksOf, type Credentials, calls, many } from '../target.ts';

const longest = 99_000;
const fill = (text: string, length = longest) => text.repeat(Math.ceil(length / text.length)).slice(0, length);

const asterisks = fill('*x* ');
const texts: Record<string, string> = {
  '`*x* `': asterisks,
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

const article = (content: string) => ({ title: 'Hostile', content });

/** Creates an article with the text and reads it through REST and GraphQL. */
function createAndRead(content: string): Attack {
  return async (target) => {
    const created = await target.rest('POST', '/article/create', article(content));
    const id = created.json?.data?.article_id;
    if (id === undefined) return;
    await target.rest('GET', `/article/detail?article_id=${id}`);
    await target.graphql('query($id:String!){article(articleId:$id){content}}', { id });
  };
}

const aliases = many(100, (i) => `a${i}:createArticle(input:$i){article{id}}`);
const aliased =
  (content: string, options: Credentials): Attack =>
  (target) =>
    target.graphql(`mutation($i:CreateArticleInput!){${aliases}}`, { i: article(content) }, options);

const creates = (credentials: Credentials) =>
  calls('POST', '/article/create', (i) => article(`${i}${asterisks}`), { count: 20, atOnce: 20, ...credentials });

export const attacks: Attacks = {
  'markdown: 100 aliases of createArticle, no credit': aliased(asterisks, { key: 'poor' }),
  'markdown: 100 aliases of createArticle, x-cost-only': aliased(asterisks, { headers: { 'x-cost-only': '1' } }),
  'markdown: 100 aliases, each of another text': (target) => {
    const names = Array.from({ length: 9 }, (_, i) => i);
    return target.graphql(
      `mutation(${names.map((i) => `$i${i}:CreateArticleInput!`).join(' ')}){${many(99, (i) => `a${i}:createArticle(input:$i${i % 9}){article{id}}`)}}`,
      Object.fromEntries(names.map((i) => [`i${i}`, article(`${i}${asterisks}`)])),
      { key: 'poor' },
    );
  },
  'markdown: 20 creates at once, no credit': creates({ key: 'poor' }),
  'markdown: 20 creates at once': creates({}),
  ...attacksOf('markdown: ', texts, createAndRead),
};
