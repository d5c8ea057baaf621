import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';

interface Node {
  tweetId: string;
  text: string;
  author: { userName: string; listedCount: number };
  inReplyTo?: Node | null;
}
interface Profile {
  id: string;
  listedCount: number;
}
interface RestTweet {
  id: string;
  text: string;
  inReplyToId: string | null;
  author: { id: string; userName: string };
}
type Get = <Data>(path: string) => Promise<Data>;

interface Journey {
  query: string;
  read(data: { user: { tweets: { nodes: Node[] } }; homeTimeline: { nodes: Node[] } }): unknown;
  rest(get: Get, post: <Data>(path: string, sent: object) => Promise<Data>): Promise<unknown>;
}

/**
 * Reads the same data with REST calls and with one GraphQL query, for a caller with a latency of `latencyMs`. The REST calls run one after
 * the other, each when the previous one has returned the ids that it needs. No data is read twice.
 */
export const journeys: Record<string, Journey> = {
  'tweets, what they answer, and all authors': {
    query: `{
      user(userName: "grace") {
        ...Person
        tweets(first: 20) { nodes { ...Words author { ...Person } inReplyTo { ...Words author { ...Person } } } }
      }
    }
    fragment Person on User { userName name followersCount listedCount }
    fragment Words on Tweet { tweetId text likeCount createdAt }`,
    read: ({ user }) =>
      user.tweets.nodes.flatMap((tweet) => [tweet, ...(tweet.inReplyTo ? [tweet.inReplyTo] : [])]).map(summary),
    async rest(get) {
      const grace = await get<Profile>('/user/info?userName=grace');
      const people = new Map([[grace.id, grace]]);
      const { tweets } = await get<{ tweets: RestTweet[] }>(`/user/tweets_and_replies?userId=${grace.id}&count=20`);
      const found: RestTweet[] = [];
      for (const tweet of tweets) {
        found.push(tweet);
        if (tweet.inReplyToId !== null) found.push(await get<RestTweet>(`/tweet/detail?tweet_id=${tweet.inReplyToId}`));
      }
      return withAuthors(found, people, get);
    },
  },
  'home timeline and its authors': {
    query: `{
      homeTimeline(first: 20) {
        nodes { tweetId text likeCount createdAt author { userName name followersCount listedCount } }
      }
    }`,
    read: ({ homeTimeline }) => homeTimeline.nodes.map(summary),
    async rest(get, post) {
      const { tweets } = await post<{ tweets: RestTweet[] }>('/user/home_timeline', { count: 20 });
      return withAuthors(tweets, new Map(), get);
    },
  },
};

/** In REST the author of a tweet does not have the number of lists, so the profile is read. */
async function withAuthors(tweets: RestTweet[], people: Map<string, Profile>, get: Get) {
  for (const { author } of tweets) {
    if (!people.has(author.id)) people.set(author.id, await get<Profile>(`/user/info?userId=${author.id}`));
  }
  return tweets.map((tweet) => ({
    id: tweet.id,
    text: tweet.text,
    author: tweet.author.userName,
    listed: people.get(tweet.author.id)?.listedCount,
  }));
}

const summary = ({ tweetId, text, author }: Node) => ({
  id: tweetId,
  text,
  author: author.userName,
  listed: author.listedCount,
});

/** Runs both variants alternately, `times` times. Returns the durations in milliseconds and the number of REST calls. */
export async function compareJourneys(
  journey: Journey,
  {
    origin,
    headers,
    latencyMs,
    times,
  }: { origin: string; headers: Record<string, string>; latencyMs: number; times: number },
) {
  const pool = new Pool(origin, { connections: 1 });
  const json = { ...headers, 'content-type': 'application/json' };
  let calls = 0;
  const send = async <Data>(request: Dispatcher.RequestOptions): Promise<Data> => {
    await sleep(latencyMs);
    calls += 1;
    const { statusCode, body } = await pool.request(request);
    const answer = (await body.json()) as { data: Data; errors?: unknown };
    if (statusCode !== 200 || answer.errors) throw new Error(`status ${statusCode}: ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const ways: Record<'rest' | 'graphql', () => Promise<unknown>> = {
    rest: () =>
      journey.rest(
        (path) => send({ method: 'GET', path: `/v1${path}`, headers }),
        (path, sent) => send({ method: 'POST', path: `/v1${path}`, headers: json, body: JSON.stringify(sent) }),
      ),
    graphql: async () => {
      const body = JSON.stringify({ query: journey.query });
      return journey.read(await send({ method: 'POST', path: '/graphql', headers: json, body }));
    },
  };
  const took = { rest: [] as number[], graphql: [] as number[], calls: 0 };
  const answers: Record<string, string> = {};
  // The first run of each variant is a warm-up.
  for (let time = 0; time <= times; time++) {
    for (const [name, go] of (Object.keys(ways) as (keyof typeof ways)[]).map((each) => [each, ways[each]] as const)) {
      calls = 0;
      const startedAt = performance.now();
      answers[name] = JSON.stringify(await go());
      if (time > 0) took[name].push(performance.now() - startedAt);
      if (name === 'rest') took.calls = calls;
    }
    if (answers.rest !== answers.graphql) throw new Error('REST and GraphQL do not tell the same');
  }
  await pool.close();
  return took;
}
