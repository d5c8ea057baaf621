import type { Dataset, NewTweet } from '../dataset/dataset.ts';
import { snowflake } from '../dataset/snowflake.ts';
import type { SandboxTweet } from '../dataset/types.ts';
import { hiddenFrom } from '../dataset/visibility.ts';
import { articleOf } from './articles.ts';
import { Phrases } from './phrases.ts';
import { type Prng, prng } from './prng.ts';
import { pickReactions, type Reactions, react } from './reactions.ts';
import type { Topic } from './topic.ts';
import { mediaFor } from './tweet-media.ts';
import type { SeedUser } from './users.ts';
import { Variety } from './variety.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 90;
/** Tweets older than this get few replies and quotes. */
const REPLY_WINDOW_MS = 4 * DAY_MS;
const sources = ['Web App', 'Web App', 'iPhone App', 'Android App'];

interface Moment {
  readonly person: SeedUser;
  agoMs: number;
  /** True if the tweet continues a thread of the same author. */
  readonly thread: boolean;
}

interface Said {
  readonly tweet: SandboxTweet;
  readonly person: SeedUser;
  readonly topic: Topic;
}

type Content = Pick<NewTweet, 'text' | 'replyTo' | 'quoteOf' | 'media' | 'article'>;

/**
 * Generates the tweets of the days before the epoch, oldest first, so that replies and quotes can refer to earlier
 * tweets.
 */
export function fillTimeline(dataset: Dataset, seed: string, epochMs: number, users: readonly SeedUser[]): void {
  const random = prng(seed, 'timeline');
  const variety = new Variety(seed);
  const scene: Scene = {
    dataset,
    random,
    phrases: new Phrases(prng(seed, 'phrases')),
    latest: new Map(),
    answers: new Map(),
    gone: [],
  };
  const reactions: [SandboxTweet, Reactions][] = [];
  for (const { person, agoMs, thread } of moments(random, users)) {
    const createdAt = epochMs - agoMs;
    const said = speak(scene, person, thread, createdAt, (content) => {
      const received = pickReactions(random, person.user, content.replyTo !== undefined, agoMs);
      const media = variety.media(content.media);
      const tweet = dataset.addTweet({
        id: snowflake(createdAt, 0),
        author: person.user,
        createdAt,
        lang: person.own?.lang ?? 'en',
        createdByCall: false,
        ...content,
        text: variety.text(content.text, media),
        media,
        source: variety.known(random.pick(sources)),
        views: variety.known(received.views),
        score: received.score,
      });
      reactions.push([tweet, received]);
      return tweet;
    });
    if (said === undefined) continue;
    scene.latest.set(person, said);
    if (person.user.state !== 'active' && !person.user.protected) scene.gone.push(said);
  }
  react(dataset, random, reactions, epochMs);
  deleteSomeQuoted(dataset, random);
  variety.pinTweets(dataset);
}

/**
 * Generates the times and authors of all tweets. Each millisecond has at most one tweet, so that ids have the same
 * order as times.
 */
function moments(random: Prng, users: readonly SeedUser[]): Moment[] {
  const all: Moment[] = [];
  for (const person of users) {
    for (let left = person.tweets; left > 0; left--) {
      let agoMs = Math.floor(20_000 + random.next() * DAYS * DAY_MS);
      all.push({ person, agoMs, thread: false });
      if (!random.chance(0.03)) continue;
      for (let more = random.int(1, 4); more > 0 && left > 1 && agoMs > 300_000; more--, left--) {
        agoMs -= random.int(30_000, 200_000);
        all.push({ person, agoMs, thread: true });
      }
    }
  }
  all.sort((a, b) => b.agoMs - a.agoMs);
  let last = Number.POSITIVE_INFINITY;
  for (const moment of all) {
    moment.agoMs = Math.min(moment.agoMs, last - 1);
    last = moment.agoMs;
  }
  return all;
}

interface Scene {
  readonly dataset: Dataset;
  readonly random: Prng;
  readonly phrases: Phrases;
  /** The latest tweet of each user. */
  readonly latest: Map<SeedUser, Said>;
  /** The latest reply that each user received, which the user may answer. */
  readonly answers: Map<SeedUser, Said>;
  readonly gone: Said[];
}

function speak(
  scene: Scene,
  person: SeedUser,
  thread: boolean,
  at: number,
  publish: (content: Content) => SandboxTweet,
): Said | undefined {
  const { random, phrases, dataset } = scene;
  const only = person.own?.texts[person.user.tweets.length];
  if (only !== undefined) {
    publish({ text: only, replyTo: undefined, quoteOf: undefined, media: [] });
    return undefined;
  }
  const own = scene.latest.get(person);
  if (thread && own !== undefined) {
    const text = phrases.continuation(own.topic);
    const tweet = publish({ text, replyTo: own.tweet, quoteOf: undefined, media: [] });
    return { tweet, person, topic: own.topic };
  }
  const mood = random.next();
  const other = mood < 0.42 ? choose(scene, person, at) : undefined;
  if (other !== undefined) {
    const { topic } = other;
    if (mood < 0.34) {
      const text = phrases.reply(other.person, topic);
      const said = { tweet: publish({ text, replyTo: other.tweet, quoteOf: undefined, media: [] }), person, topic };
      scene.answers.set(other.person, said);
      return said;
    }
    if (!other.person.user.protected) {
      const text = phrases.quote(topic);
      return { tweet: publish({ text, replyTo: undefined, quoteOf: other.tweet, media: [] }), person, topic };
    }
  }
  const topic = random.pick(person.topics);
  const text = phrases.post(person, topic);
  const media = mediaFor(random, topic, dataset.tweets.length);
  const article = articleOf(random, person, topic);
  return {
    tweet: publish({ text, replyTo: undefined, quoteOf: undefined, media, ...(article && { article }) }),
    person,
    topic,
  };
}

/**
 * Picks the tweet to reply to: a reply to one of the user's tweets, a recent tweet of a followed user, or now and then
 * a tweet of a user who was deleted later.
 */
function choose(scene: Scene, person: SeedUser, at: number): Said | undefined {
  const { random } = scene;
  if (scene.gone.length > 0 && random.chance(0.06)) return random.pick(scene.gone);
  const open = (said: Said | undefined): said is Said =>
    said !== undefined &&
    said.person !== person &&
    said.tweet.createdAt > at - REPLY_WINDOW_MS &&
    hiddenFrom(person.user, said.tweet) === undefined;
  const answer = scene.answers.get(person);
  if (open(answer) && random.chance(0.4)) {
    scene.answers.delete(person);
    return answer;
  }
  if (person.friends.length === 0) return undefined;
  for (let tries = 0; tries < 6; tries++) {
    const said = scene.latest.get(random.pick(person.friends));
    if (open(said)) return said;
  }
  return undefined;
}

/** Deletes some of the tweets that other tweets quote. */
function deleteSomeQuoted(dataset: Dataset, random: Prng): void {
  const quoted = dataset.tweets.filter(
    (tweet) => tweet.quotes.size > 0 && tweet.author.state === 'active' && !tweet.replyTo,
  );
  const plain = quoted.filter((tweet) => tweet.author.token === null);
  for (const tweet of random.sample(plain, 10)) dataset.remove(tweet);
}
