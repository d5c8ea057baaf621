// Attacks with small requests for large responses, and with clients that do not read the responses.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Attacks, fresh, many, type Target } from '../target.ts';

/** The largest article in bytes that 100,000 characters can have in UTF-8 within the body limit. */
async function longArticle(target: Target): Promise<string> {
  const content = '語'.repeat(99_990);
  const created = target.rest('POST', '/article/create', { title: 'Long', content });
  const { article_id: id } = await target.setUp<{ article_id: string }>(created);
  await target.begin();
  return id;
}

const aliasedArticle = (id: string) =>
  `{${many(40, (i) => `a${i}:article(articleId:"${id}"){...C}`)}} fragment C on Article{${many(23, (i) => `c${i}:content`)}}`;

const userFields = 'userName name description location url platformUrl profilePicture coverPicture createdAt';
const nestedLists =
  `{viewer{${many(30, (i) => `t${i}:tweets(first:100){nodes{...T}}`)}}} ` +
  `fragment T on Tweet{id text url platformUrl source lang author{${userFields}}}`;

const size = (target: Target, { bytes }: Answer) => target.note(`${(bytes / 1024 / 1024).toFixed(1)} MiB`);

/** Sends requests over connections of their own and does not read the responses. */
async function neverRead(target: Target, clients: number, request: string, seconds: number): Promise<void> {
  for (let i = 0; i < clients; i++) target.connect(request).pause();
  await sleep(seconds * 1_000);
}

function ask(target: Target, query: string): string {
  const body = JSON.stringify({ query });
  const sized = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return target.head('POST', '/graphql', sized) + body;
}

export const attacks: Attacks = {
  'answer: 40 articles with 23 aliases of content': async (target) => {
    const id = await longArticle(target);
    size(target, await target.graphql(aliasedArticle(id)));
  },
  'answer: nested lists with 30 aliases': async (target) => {
    size(target, await target.graphql(nestedLists));
  },
  'answer: eight clients that never read, articles': async (target) => {
    const id = await longArticle(target);
    await neverRead(target, 8, ask(target, aliasedArticle(id)), 15);
  },
  'answer: eight clients that never read, lists': (target) => neverRead(target, 8, ask(target, nestedLists), 15),
  'answer: 100 clients that never read, the schema': async (target) => {
    const response = await target.send('GET', '/openapi.json', { key: null, actor: null });
    target.note(`${response.bytes} bytes each`);
    await neverRead(target, 100, target.head('GET', '/openapi.json').repeat(20), 5);
  },
  'answer: 40 clients that never read, pipelined searches': (target) => {
    const search = target.head('GET', '/v1/tweet/advanced_search?q=from:grace&count=100');
    return neverRead(target, 40, search.repeat(21), 10);
  },
  'answer: introspection without a key, 300 times': fresh((target) => {
    const fields = 'name description type{name kind ofType{name kind ofType{name}}}';
    const query = `{__schema{types{name description fields{${fields} args{${fields}}} inputFields{${fields}}}}}`;
    return target.many(300, 20, (i) => target.graphql(`${query}#${i % 40}`, undefined, { key: null, actor: null }));
  }),
};
