import { request } from 'undici';
import type { Config } from '../../shared/config/config.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { type Finding, fail, passed, reasonOf, warn } from './finding.ts';

const answerMs = 4_000;

type Json = Record<string, unknown>;

/** A response of X whose body is JSON. */
interface Answer {
  status: number;
  body: { data?: unknown; meta?: Json; includes?: Json };
}

async function ask(origin: string, path: string, token: Secret): Promise<Answer> {
  const headers = { authorization: `Bearer ${token.expose()}` };
  const { statusCode, body } = await request(origin + path, { headers, signal: AbortSignal.timeout(answerMs) });
  const text = await body.text();
  try {
    return { status: statusCode, body: JSON.parse(text) as Answer['body'] };
  } catch {
    return { status: statusCode, body: {} };
  }
}

/** Checks the app-only token with a call that X does not bill. */
export async function checkAppToken(origin: string, { secrets: { xAppToken } }: Config): Promise<readonly Finding[]> {
  if (xAppToken === null) return [];
  const name = 'x_app_token';
  try {
    const { status } = await ask(origin, '/2/usage/tweets', xAppToken);
    if (status === 200) return [passed(name, 'X accepts X_BEARER_TOKEN')];
    const todo = 'copy the Bearer token from the console of X again, and see that the app is in a project';
    if (status === 401 || status === 403) return [fail(name, `X refuses X_BEARER_TOKEN with ${status}`, todo)];
    return [warn(name, `X_BEARER_TOKEN could not be checked: status ${status}`, 'run the doctor again later')];
  } catch (error) {
    return [fail(name, reasonOf(error), 'see that this machine may connect to X')];
  }
}

/** A read whose response answers a question that X's documentation leaves open. */
interface LiveRead {
  name: string;
  /** The most that X bills for it, in dollars. */
  dollars: number;
  path: (me: string) => string;
  /** Returns what differs from what Postern expects, or `null`. */
  differs: (answer: Answer, again: (query: string) => Promise<Answer>) => Promise<string | null> | string | null;
}

/** Returns a difference if X did not answer the question. */
const failureOf = (status: number) => (status === 200 ? null : `X answers with ${status}`);
const postsOf = ({ body }: Answer) => (Array.isArray(body.data) ? (body.data as Json[]) : []);
const timeline = (me: string, more: string) => `/2/users/${me}/tweets?max_results=5${more}`;
const fields = '&post.fields=created_at,public_metrics,entities&expansions=author_id,referenced_posts';

const liveReads: readonly LiveRead[] = [
  {
    name: 'x_vocabulary',
    dollars: 0.15,
    path: (me) => timeline(me, fields),
    differs(answer) {
      const [post] = postsOf(answer);
      const metrics = post?.['public_metrics'] as Json | undefined;
      if (!post) return 'the account has no posts, so the fields could not be seen';
      if (metrics?.['repost_count'] === undefined) return 'public_metrics has no repost_count';
      return post['author_id'] === undefined ? 'posts have no author_id' : null;
    },
  },
  {
    name: 'x_unknown_fields',
    dollars: 0.025,
    path: (me) => timeline(me, '&post.fields=no_such_field'),
    differs: ({ status }) => (status === 400 ? 'an unknown field is refused with 400 instead of dropped' : null),
  },
  {
    name: 'x_page_sizes',
    dollars: 0.075,
    path: (me) => timeline(me, ''),
    async differs({ body }, again) {
      const token = body.meta?.['next_token'];
      if (typeof token !== 'string') return 'the account has too few posts for a second page';
      const { status } = await again(`max_results=10&pagination_token=${encodeURIComponent(token)}`);
      if (status === 400) return 'a page token is refused with 400 if max_results changes';
      return failureOf(status);
    },
  },
  {
    name: 'x_indices',
    dollars: 0.05,
    path: () =>
      `/2/tweets/search/recent?max_results=10&query=${encodeURIComponent('😀 has:hashtags')}&post.fields=entities`,
    differs(answer) {
      for (const post of postsOf(answer)) {
        const text = String(post['text']);
        const tags = ((post['entities'] as Json | undefined)?.['hashtags'] ?? []) as { start: number; tag: string }[];
        const tag = tags.find(({ start }) => /[\u{10000}-\u{10ffff}]/u.test([...text].slice(0, start).join('')));
        if (!tag) continue;
        return /[#＃]/.test([...text][tag.start] ?? '') ? null : 'indices do not count code points';
      }
      return 'no post with an emoji before a hashtag was found';
    },
  },
];

export const liveDollars = 0.01 + liveReads.reduce((sum, { dollars }) => sum + dollars, 0);

/** Makes a few reads as the account of POSTERN_AUTH_TOKEN, which X bills. Reports what differs from what Postern expects. */
export async function checkLive(origin: string, authToken: string | undefined): Promise<readonly Finding[]> {
  const advice = 'set POSTERN_AUTH_TOKEN to a user access token that is not older than two hours';
  if (!authToken) return [fail('x_live', 'there is no user access token', advice)];
  const token = new Secret(authToken);
  try {
    const { status, body } = await ask(origin, '/2/users/me', token);
    const me = (body.data as Json | undefined)?.['id'];
    if (typeof me !== 'string') return [fail('x_live', `X answers /2/users/me with ${status}`, advice)];
    const findings = [passed('x_live', 'X accepts POSTERN_AUTH_TOKEN')];
    for (const { name, path, differs } of liveReads) {
      const again = (query: string) => ask(origin, `/2/users/${me}/tweets?${query}`, token);
      const answer = await ask(origin, path(me), token);
      const isRefused = answer.status === 400 && name === 'x_unknown_fields';
      const failure = isRefused ? null : failureOf(answer.status);
      const difference = failure ?? (await differs(answer, again));
      const todo = 'compare docs/x.md, and report it to the authors of Postern';
      findings.push(difference === null ? passed(name, 'as expected') : warn(name, difference, todo));
    }
    return findings;
  } catch (error) {
    return [fail('x_live', reasonOf(error), 'see that this machine may connect to X')];
  }
}
