import { snowflake } from '../world/snowflake.ts';
import type { Media, Tweet } from '../world/types.ts';
import { hiddenFrom } from '../world/visibility.ts';
import type { World } from '../world/world.ts';
import type { Person } from './people.ts';
import { Phrases } from './phrases.ts';
import { type Prng, prng } from './prng.ts';
import type { Topic } from './topic.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 60;
const RECENT = 160;
const sources = ['Web App', 'Web App', 'iPhone App', 'Android App'];
const photoSizes = ['1200x800', '1080x1350', '1600x900', '1080x1080'] as const;

interface Said {
  readonly tweet: Tweet;
  readonly person: Person;
  readonly topic: Topic;
}

/** Fills the days before the epoch, oldest first, so that replies and quotes find what they answer. */
export function fillTimeline(world: World, seed: string, epochMs: number, people: readonly Person[]): void {
  const random = prng(seed, 'timeline');
  const phrases = new Phrases(prng(seed, 'phrases'));
  const recent: Said[] = [];
  const gone: Said[] = [];
  for (const [index, { person, agoMs }] of moments(random, people).entries()) {
    const said = speak(world, random, phrases, person, recent, gone, (content) => {
      const createdAt = epochMs - agoMs;
      return world.addTweet({
        id: snowflake(createdAt, index % 4096),
        author: person.user,
        createdAt,
        lang: 'en',
        source: random.pick(sources),
        createdByCall: false,
        ...content,
        ...reception(random, person, content.replyTo !== undefined),
      });
    });
    recent.push(said);
    if (recent.length > RECENT) recent.shift();
    if (person.user.state !== 'active') gone.push(said);
  }
  takeBackSome(world, random);
}

/** Who speaks when. No two in the same millisecond, so that the order of times is the order of ids. */
function moments(random: Prng, people: readonly Person[]): { person: Person; agoMs: number }[] {
  const all = people.flatMap((person) =>
    Array.from({ length: person.tweets }, () => ({
      person,
      agoMs: Math.floor(5 * 60_000 + random.next() * DAYS * DAY_MS),
    })),
  );
  all.sort((a, b) => b.agoMs - a.agoMs);
  let last = Number.POSITIVE_INFINITY;
  return all.map(({ person, agoMs }) => {
    last = Math.min(agoMs, last - 1);
    return { person, agoMs: last };
  });
}

interface Content {
  readonly text: string;
  readonly replyTo: Tweet | undefined;
  readonly quoteOf: Tweet | undefined;
  readonly media: readonly Media[];
}

function speak(
  world: World,
  random: Prng,
  phrases: Phrases,
  person: Person,
  recent: readonly Said[],
  gone: readonly Said[],
  publish: (content: Content) => Tweet,
): Said {
  const mood = random.next();
  const other = mood < 0.38 ? choose(random, person, recent, gone) : undefined;
  if (other !== undefined && mood < 0.3) {
    const text = other.person === person ? phrases.more(other.topic) : phrases.reply(other.person, other.topic);
    const tweet = publish({ text, replyTo: other.tweet, quoteOf: undefined, media: [] });
    return { tweet, person, topic: other.topic };
  }
  if (other !== undefined && other.person !== person && !other.person.user.protected) {
    const tweet = publish({ text: phrases.quote(other.topic), replyTo: undefined, quoteOf: other.tweet, media: [] });
    return { tweet, person, topic: other.topic };
  }
  const topic = random.pick(person.topics);
  const text = phrases.post(person, topic);
  const tweet = publish({ text, replyTo: undefined, quoteOf: undefined, media: mediaFor(random, topic, world) });
  return { tweet, person, topic };
}

/** A tweet to answer: of those whom one follows, if any spoke lately; now and then of somebody who has gone since. */
function choose(random: Prng, person: Person, recent: readonly Said[], gone: readonly Said[]): Said | undefined {
  if (gone.length > 0 && random.chance(0.04)) return random.pick(gone);
  const seen = recent.filter((said) => hiddenFrom(person.user, said.tweet) === undefined);
  const own = seen.filter((said) => said.person === person);
  if (own.length > 0 && random.chance(0.12)) return random.pick(own);
  const followed = seen.filter((said) => person.user.following.has(said.person.user));
  const from = followed.length > 0 ? followed : seen.filter((said) => said.person !== person);
  return from.length > 0 ? random.weighted(from, (said) => 1 + said.tweet.replies * 2) : undefined;
}

function mediaFor(random: Prng, topic: Topic, world: World): Media[] {
  const mood = random.next();
  if (mood > 0.18) return [];
  const count = mood < 0.02 ? random.int(2, 4) : 1;
  return Array.from({ length: count }, (_, index): Media => {
    const size = mood > 0.16 ? '1280x720' : random.pick(photoSizes);
    const [width = 0, height = 0] = size.split('x').map(Number);
    const name = `${topic.name}-${world.tweets.length}-${index + 1}`;
    const path = `/media/photos/${name}-${size}.png`;
    if (mood <= 0.16) return { kind: 'photo', path, videoPath: null, width, height, durationMs: null };
    const videoPath = `/media/videos/${name}.mp4`;
    return { kind: 'video', path, videoPath, width, height, durationMs: random.int(4_000, 90_000) };
  });
}

/** How it was received, in keeping with how many could see it. */
function reception(random: Prng, person: Person, isReply: boolean) {
  const audience = person.user.followers.size;
  const warmth = random.next() ** 3 * (isReply ? 0.25 : 0.8);
  const likes = Math.floor(audience * warmth);
  const retweets = Math.floor(likes * random.next() * 0.3);
  const bookmarks = Math.floor(likes * random.next() * 0.2);
  const views = Math.floor(audience * (1.5 + random.next() * 4)) + likes * random.int(4, 12) + 3;
  return { likes, retweets, bookmarks, views, score: likes + 2 * retweets + bookmarks };
}

/** Some tweets that others quoted were deleted later. */
function takeBackSome(world: World, random: Prng): void {
  const quoted = world.tweets.filter((tweet) => tweet.quotes > 0 && tweet.author.state === 'active' && !tweet.replyTo);
  const plain = quoted.filter((tweet) => tweet.author.token === null);
  for (const tweet of random.shuffle(plain).slice(0, 8)) world.remove(tweet);
}
