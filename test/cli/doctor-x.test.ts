import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSandbox } from '../sandbox/harness.ts';
import { Machine } from '../support/doctor.ts';
import { differencesFromX } from '../support/x-document.ts';

interface Finding {
  name: string;
  state: string;
  detail: string;
}

interface Response {
  status?: number;
  body?: unknown;
}

const post = {
  ...{ id: '12', text: '😀 #loom', author_id: '1', public_metrics: { repost_count: 1 } },
  entities: { hashtags: [{ start: 2, end: 7, tag: 'loom' }] },
};
const page = { body: { data: [post], meta: { next_token: 'more' } } };
/** The answers of X as Postern expects them, by their kind. */
const expected: Record<string, Response> = {
  me: { body: { data: { id: '1', name: 'Ada', username: 'ada' } } },
  usage: { body: { data: { project_usage: '7' } } },
  vocabulary: page,
  unknown: page,
  sizes: page,
  next: page,
  indices: page,
};

function kindOf(path: string): string {
  if (path.startsWith('/2/users/me')) return 'me';
  if (path.startsWith('/2/usage/')) return 'usage';
  if (path.startsWith('/2/tweets/search/')) return 'indices';
  if (path.includes('no_such_field')) return 'unknown';
  if (path.includes('pagination_token')) return 'next';
  return path.includes('post.fields') ? 'vocabulary' : 'sizes';
}

let machine: Machine;

beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.end());

/** Starts a server that answers as X does, apart from `changes`. Returns its settings, and the requests with a token that it got. */
async function startX(changes: Record<string, Response> = {}) {
  const requests: [path: string, token: string][] = [];
  const port = await machine.listenHttp(({ url = '', headers }, response) => {
    const token = headers.authorization?.replace('Bearer ', '');
    if (token !== undefined) requests.push([url, token]);
    const known = token === undefined ? { status: 401 } : { ...expected, ...changes }[kindOf(url)];
    response.writeHead(known?.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known?.body ?? {}));
  });
  return { requests, env: { PLATFORM_KIND: 'x', PLATFORM_URL: `http://127.0.0.1:${port}` } };
}

/** Returns what the doctor says about X. */
async function examine(env: Record<string, string>, ...args: string[]) {
  const { code, out, err } = await machine.run(env, '--json', ...args);
  const { checks } = JSON.parse(out) as { checks: Finding[] };
  const found = checks.filter(({ name, state }) => name.startsWith('x_') || state === 'fail');
  return { code, err, states: Object.fromEntries(found.map(({ name, state }) => [name, state])), found };
}

const passed = { x_live: 'ok', x_vocabulary: 'ok', x_unknown_fields: 'ok', x_page_sizes: 'ok', x_indices: 'ok' };

describe('app-only token', () => {
  test.each<[string, Response, string, string]>([
    ['accepted', {}, 'ok', 'X accepts'],
    ['rejected', { status: 401 }, 'fail', 'refuses X_BEARER_TOKEN with 401'],
    ['of an app without a project', { status: 403 }, 'fail', 'refuses X_BEARER_TOKEN with 403'],
    ['unchecked because X fails', { status: 503 }, 'warn', 'could not be checked: status 503'],
  ])('%s: %o', async (_name, usage, state, detail) => {
    const { env, requests } = await startX({ usage: { ...expected['usage'], ...usage } });
    const { found } = await examine({ ...env, X_BEARER_TOKEN: 'app-token' });
    expect(found).toMatchObject([{ name: 'x_app_token', state, detail: expect.stringContaining(detail) }]);
    expect(requests).toEqual([['/2/usage/tweets', 'app-token']]);
  });
});

describe('--live', () => {
  const token = { POSTERN_AUTH_TOKEN: 'user-token' };

  test('prints what X bills, makes only requests of X’s document and finds what is expected', async () => {
    const { env, requests } = await startX();
    expect(await examine({ ...env, ...token }, '--live')).toMatchObject({
      code: 0,
      err: 'X bills up to 0.31 dollars for the reads of --live.\n',
      states: passed,
    });
    expect(requests).toHaveLength(6);
    for (const [url, sent] of requests) {
      expect(sent).toBe('user-token');
      const unknown = url.includes('no_such_field') ? 1 : 0;
      expect(differencesFromX({ method: 'GET', url }).length).toBeLessThanOrEqual(unknown);
    }
  });

  test.each<[string, Record<string, Response>, string, string]>([
    ['no posts', { vocabulary: { body: {} } }, 'x_vocabulary', 'has no posts'],
    [
      'the older vocabulary',
      { vocabulary: { body: { data: [{ ...post, public_metrics: { retweet_count: 1 } }] } } },
      'x_vocabulary',
      'no repost_count',
    ],
    [
      'posts without authors',
      { vocabulary: { body: { data: [{ ...post, author_id: undefined }] } } },
      'x_vocabulary',
      'no author_id',
    ],
    ['refused fields', { unknown: { status: 400 } }, 'x_unknown_fields', 'refused with 400'],
    ['a single page', { sizes: { body: { data: [post] } } }, 'x_page_sizes', 'too few posts'],
    ['a token of one size', { next: { status: 400 } }, 'x_page_sizes', 'refused with 400 if max_results changes'],
    ['a failure', { indices: { status: 429 } }, 'x_indices', 'X answers with 429'],
    ['no emoji', { indices: { body: {} } }, 'x_indices', 'no post with an emoji'],
    [
      'indices of UTF-16 units',
      { indices: { body: { data: [{ ...post, entities: { hashtags: [{ start: 3, end: 8, tag: 'loom' }] } }] } } },
      'x_indices',
      'do not count code points',
    ],
  ])('reports %s as a difference', async (_name, changes, name, detail) => {
    const { env } = await startX(changes);
    const { code, states, found } = await examine({ ...env, ...token }, '--live');
    expect({ code, states }).toEqual({ code: 0, states: { ...passed, [name]: 'warn' } });
    expect(found).toContainEqual(expect.objectContaining({ name, detail: expect.stringContaining(detail) }));
  });

  test.each<[string, Record<string, string>, Response]>([
    ['without POSTERN_AUTH_TOKEN', {}, {}],
    ['with one that X rejects', token, { status: 401, body: {} }],
  ])('fails %s, before it reads', async (_name, more, me) => {
    const { env, requests } = await startX({ me });
    expect(await examine({ ...env, ...more }, '--live')).toMatchObject({ code: 1, states: { x_live: 'fail' } });
    expect(requests.filter(([url]) => kindOf(url) !== 'me')).toEqual([]);
  });

  test('is skipped on another platform', async () => {
    const { err, found } = await examine({}, '--live');
    expect(found).toMatchObject([{ name: 'x_live', state: 'skip' }]);
    expect(err).toBe('');
  });

  test('works on the sandbox, which refuses unknown fields', async () => {
    const { url, ada } = await openSandbox();
    const env = { PLATFORM_KIND: 'x', PLATFORM_URL: url, POSTERN_AUTH_TOKEN: ada.authToken };
    const { code, states } = await examine(env, '--live');
    expect({ code, states }).toMatchObject({
      code: 0,
      states: { x_live: 'ok', x_vocabulary: 'ok', x_unknown_fields: 'warn' },
    });
  });
});
