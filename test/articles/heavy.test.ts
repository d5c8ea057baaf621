import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { mainThreadMs } from '../support/processor-time.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useService } from '../support/use-service.ts';

const log = join(temporaryFolder(), 'tasks.log');
process.env['TASK_LOG'] = log;
const worker = new URL('../support/watched-task-worker.mjs', import.meta.url);
const patient = await useService({}, { tasks: { worker, threads: 2 } });
// A service whose tasks have a time limit of 5 s.
const hasty = await useService({}, { tasks: { worker, threads: 2, timeLimitMs: 5_000 } });
beforeEach(() => writeFileSync(log, ''));

const tasksRun = (name: string) =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line === name).length;

async function callers(dollars: string, { newCaller, sandbox } = patient) {
  const { id, client, graphql } = await newCaller(dollars);
  const { authToken } = await sandbox.mint({ premium: true });
  return { id, rest: client.with({ authToken }), graphql: graphql.with({ authToken }) };
}

const long = (piece: string) => piece.repeat(99_000 / piece.length);
const mutation = (aliases: number) =>
  `mutation($i: CreateArticleInput!) { ${Array.from({ length: aliases }, (_, at) => `a${at}: createArticle(input: $i) { articleId }`).join(' ')} }`;

/**
 * Returns the longest time in milliseconds for which the event loop was blocked during `run`. The service runs in this process. The time is
 * processor time, so other processes do not affect it.
 */
async function longestStop(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = mainThreadMs();
  const measure = () => {
    const now = mainThreadMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(measure, 5);
  await run();
  clearInterval(timer);
  measure();
  return longest;
}

describe('Markdown is read once a request, off the event loop', () => {
  // A text that takes long to parse and is refused because of its last line.
  const tooDeep = `${'> a\n\n'.repeat(19_000)}\n${'- '.repeat(30)}a`;

  test('however many aliases give it, when it is wrong', async () => {
    const { graphql, rest } = await callers('1');
    const input = { title: 'Deep', content: tooDeep };
    const stop = await longestStop(async () => {
      const answer = await graphql.ask(mutation(70), { i: input });
      expect(answer.errors).toHaveLength(70);
      expect(answer.errors[0]?.message).toBe('Malformed field: content: lists and quotes may nest 20 deep');
      expect(answer.extensions.cost).toMatchObject({ quoted: '0', actual: '0' });
    });
    expect(tasksRun('readMarkdown')).toBe(1);
    expect(stop).toBeLessThan(10_000);
    expect(await restingBalance(rest)).toBe('1');
  });

  test('however many aliases give it, for x-cost-only', async () => {
    const { graphql } = await callers('1');
    const input = { title: 'Deep', content: long('*x* ') };
    const answer = await graphql.ask(mutation(70), { i: input }, { 'x-cost-only': '1' });
    expect(answer.extensions.cost).toMatchObject({ quoted: '0.07', actual: '0' });
    expect(tasksRun('readMarkdown')).toBe(1);
  });

  test('and when it is performed', async () => {
    const { graphql } = await callers('1');
    const answer = await graphql.ask(mutation(3), { i: { title: 'Three times', content: 'The **same**' } });
    expect(new Set(Object.values(answer.data).map((each) => (each as { articleId: string }).articleId)).size).toBe(3);
    expect(answer.extensions.cost).toMatchObject({ quoted: '0.003', actual: '0.003' });
    expect(tasksRun('readMarkdown')).toBe(1);
  });

  test('up to three of the longest articles a request', async () => {
    const { graphql } = await callers('1');
    const fields = Array.from({ length: 4 }, (_, at) => `a${at}: createArticle(input: $i${at}) { articleId }`);
    const variables = Array.from({ length: 4 }, (_, at) => `$i${at}: CreateArticleInput!`);
    const inputs = Array.from({ length: 4 }, (_, at) => [`i${at}`, { title: 'Long', content: `${at}${long('a ')}` }]);
    const answer = await graphql.ask(`mutation(${variables}) { ${fields.join(' ')} }`, Object.fromEntries(inputs));
    const message = 'Too much Markdown: the articles of one request may have at most 300,000 characters together';
    expect(answer.errors).toMatchObject([{ message, extensions: { code: 'TOO_COSTLY', status: 400 } }]);
    expect(tasksRun('readMarkdown')).toBe(0);
  });

  test('and written once, however many aliases ask for an article', async () => {
    const { graphql, rest } = await callers('1');
    const content = long('*x* ').trim();
    const made = await rest.post('/article/create', { title: 'Slanted', content });
    expect(made.body.error).toBeNull();
    const fields = Array.from({ length: 12 }, (_, at) => `a${at}: article(articleId: $id) { content }`);
    const stop = await longestStop(async () => {
      const id = made.body.data['article_id'];
      const answer = await graphql.ask(`query($id: String!) { ${fields.join(' ')} }`, { id });
      expect(answer.data.a11.content).toBe(content);
      expect(answer.extensions.cost).toMatchObject({ actual: '0.001' });
    });
    expect(tasksRun('writeMarkdown')).toBe(1);
    expect(stop).toBeLessThan(10_000);
  });
});

describe('an account that cannot pay', () => {
  const input = { title: 'Free', content: 'Not *paid* for' };

  test('is refused before its Markdown is read', async () => {
    const { rest, graphql } = await callers('0.0009');
    for (let attempt = 0; attempt < 2; attempt++) {
      expectRefusal(await rest.post('/article/create', input), 402);
      expectRefusal(await rest.post('/article/create', input, { 'idempotency-key': `key ${attempt}` }), 402);
      expectRefusal(await rest.post('/article/update', { article_id: '1', content: `${'- '.repeat(30)}a` }), 402);
    }
    for (const headers of [{}, { 'x-cost-only': '1' }, { 'idempotency-key': 'another' }]) {
      const { errors } = await graphql.ask(mutation(2), { i: input }, headers as Record<string, string>);
      expect(errors).toMatchObject([{ extensions: { code: 'INSUFFICIENT_CREDITS', status: 402 } }]);
      expect(errors[0]?.message).toMatch(/the request needs 0.002 dollars/);
    }
    expect(tasksRun('readMarkdown')).toBe(0);
  });

  test('is refused with errors of the other fields first', async () => {
    const { rest } = await callers('0');
    expectRefusal(await rest.post('/article/create', { ...input, title: '' }), 400);
    expectRefusal(await rest.post('/article/create', { title: 'Long', content: 'a'.repeat(100_001) }), 400);
    expectRefusal(await rest.post('/article/update', { article_id: 'x', content: 'a' }), 400);
  });

  test('gets the answer that is kept under its Idempotency-Key', async () => {
    const { rest, graphql } = await callers('0.002');
    const made = await rest.post('/article/create', input, { 'idempotency-key': 'rest' });
    expect(made.status, String(made.body.error)).toBe(200);
    const asked = await graphql.ask(mutation(1), { i: input }, { 'idempotency-key': 'graphql' });
    expect(await restingBalance(rest)).toBe('0');
    const again = await rest.post('/article/create', input, { 'idempotency-key': 'rest' });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(made.body);
    expect((await graphql.ask(mutation(1), { i: input }, { 'idempotency-key': 'graphql' })).data).toEqual(asked.data);
    expectRefusal(await rest.post('/article/create', input), 402);
  });

  test('is served as soon as it has paid, and its input is still checked', async () => {
    const { id, rest, graphql } = await callers('0');
    expectRefusal(await rest.post('/article/create', input), 402);
    await patient.service.credit(id, '0.002');
    const deep = { title: 'Deep', content: `${'- '.repeat(30)}a` };
    expectRefusal(await rest.post('/article/create', deep), 400, /nest 20 deep/);
    expect((await rest.post('/article/create', input)).status).toBe(200);
    expect((await graphql.ask(mutation(1), { i: input })).data.a0.articleId).toMatch(/^\d+$/);
    expect(await restingBalance(rest)).toBe('0');
  });
});

describe('a text that takes too long', () => {
  test('is refused, costs nothing, and does not delay other requests', async () => {
    const [slow, other] = [await callers('1', hasty), await callers('1', hasty)];
    const hanging = slow.rest.post('/article/create', { title: 'Slow', content: 'hang readMarkdown' });
    const asked = slow.graphql.ask(mutation(1), { i: { title: 'Slow', content: 'hang readMarkdown' } });
    await expect.poll(() => tasksRun('readMarkdown')).toBeGreaterThan(0);
    let ended = false;
    void hanging.then(() => {
      ended = true;
    });
    expect((await slow.rest.get('/account/balance')).status).toBe(200);
    expect((await other.rest.post('/article/create', { title: 'Quick', content: 'Quick' })).status).toBe(200);
    expect(ended).toBe(false);
    const reason = 'Malformed field: content: is too complex to be read in time: shorten it, or use less markup';
    expectRefusal(await hanging, 400, reason);
    expect((await asked).errors).toMatchObject([{ message: reason }]);
    expect((await slow.rest.post('/article/create', { title: 'Quick', content: 'Quick' })).status).toBe(200);
    expect(await restingBalance(slow.rest)).toBe('0.999');
  });

  test('of an article of the platform is 503', async () => {
    const { rest } = await callers('1', hasty);
    const made = await rest.post('/article/create', { title: 'Slow', content: 'hang writeMarkdown' });
    const article_id = String(made.body.data['article_id']);
    expectRefusal(await rest.get('/article/detail', { article_id }), 503, /^This article is too complex/);
    expect(await restingBalance(rest)).toBe('0.999');
  });
});
