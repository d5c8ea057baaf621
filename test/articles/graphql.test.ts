import { expect, test } from 'vitest';
import { png } from '../media/pictures.ts';
import { articleIn, first, startArticleFixture } from './fixture.ts';

const fixture = await startArticleFixture();

test('a list carries all but the content, which costs a call for each article', async () => {
  const writer = await fixture.writer();
  const ids = [await articleIn('draft', writer), await articleIn('published', writer)].toReversed();
  const titles = await writer.graphql.ask('{ articles { nodes { articleId title status } } }');
  expect(titles.data.articles.nodes.map(({ articleId }: { articleId: string }) => articleId)).toEqual(ids);
  expect(titles.extensions.cost.actual).toBe('0.001');
  const query = '{ articles(status: PUBLISHED, first: 5) { nodes { content tweet { text } } } }';
  const whole = await writer.graphql.ask(query);
  expect(whole.data.articles.nodes).toEqual([{ content: first.content, tweet: { text: first.title } }]);
  expect(whole.extensions.cost).toMatchObject({ quoted: '0.011', actual: '0.003' });
});

test('an article has a global id, and its own fields cost nothing more', async () => {
  const writer = await fixture.writer();
  const articleId = await articleIn('published', writer);
  const found = await writer.graphql.ask(
    'query($articleId: String!) { article(articleId: $articleId) { id content title tweet { tweetId } publicUrl } }',
    { articleId },
  );
  expect(found.data.article).toMatchObject(first);
  expect(found.extensions.cost).toMatchObject({ quoted: '0.001', actual: '0.001' });
  const query = 'query($id: ID!) { node(id: $id) { ... on Article { articleId content } } }';
  const node = await writer.graphql.ask(query, { id: found.data.article.id });
  expect(node.data.node).toEqual({ articleId, content: first.content });
});

test('the payload of a mutation has the article; a further call is needed only for unknown fields', async () => {
  const writer = await fixture.writer();
  const create = (selection: string) =>
    writer.graphql.ask(
      `mutation($input: CreateArticleInput!) { createArticle(input: $input) { article { ${selection} } } }`,
      { input: first },
    );
  const known = await create('articleId status draftUrl');
  expect(known.data.createArticle.article).toMatchObject({ status: 'DRAFT' });
  expect(known.extensions.cost).toMatchObject({ quoted: '0.001', actual: '0.001' });
  const more = await create('title content');
  expect(more.data.createArticle.article).toEqual(first);
  expect(more.extensions.cost).toMatchObject({ quoted: '0.002', actual: '0.002' });
});

test('a cover comes as a file of a multipart request', async () => {
  const writer = await fixture.writer();
  const query =
    'mutation($cover: Upload) { createArticle(input: { title: "On looms", content: "x", coverImage: $cover }) { coverMediaId } }';
  const form = new FormData();
  form.set('operations', JSON.stringify({ query, variables: { cover: null } }));
  form.set('map', JSON.stringify({ 0: ['variables.cover'] }));
  form.set('0', new Blob([new Uint8Array(png())], { type: 'image/png' }), 'cover.png');
  const { headers } = writer.client;
  const response = await fetch(fixture.service.demo.graphqlUrl, { method: 'POST', headers, body: form });
  const created = { coverMediaId: expect.stringMatching(/^\d+$/) };
  expect(await response.json()).toMatchObject({ data: { createArticle: created } });
});
