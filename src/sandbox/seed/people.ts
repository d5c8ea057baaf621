import type { User, UserState } from '../world/types.ts';
import type { World } from '../world/world.ts';
import { encryptionCodeFor, tokenFor, userIdFor } from './credentials.ts';
import { DEMO_ORGANIZATION, demoNames } from './demo.ts';
import { firstNames, lastNames, towns } from './names.ts';
import { type Prng, prng } from './prng.ts';
import type { Topic } from './topic.ts';
import { topicNamed, topics } from './topics.ts';

/** A user, and what the generator knows of one besides. */
export interface Person {
  readonly user: User;
  readonly topics: readonly Topic[];
  /** How many tweets in the world's days. */
  readonly tweets: number;
  /** How readily others follow. */
  readonly appeal: number;
  readonly emojiHabit: number;
}

interface Traits {
  readonly screenName: string;
  readonly name: string;
  readonly topics: readonly Topic[];
  readonly description: string;
  readonly tweets: number;
  readonly appeal: number;
  readonly location?: string;
  readonly website?: string;
  readonly premium?: boolean;
  readonly verified?: boolean;
  readonly verificationKind?: 'business' | 'government';
  readonly protected?: boolean;
  readonly openDms?: boolean;
  readonly state?: UserState;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const PEOPLE = 200;
export const AFFILIATES = 6;

export function populate(world: World, seed: string): Person[] {
  const random = prng(seed, 'people');
  const people: Person[] = [];
  const add = (traits: Traits) => people.push(settle(world, seed, random, traits));
  for (const traits of known) add(traits);
  for (let index = 0; index < AFFILIATES; index++) {
    const someone = invent(world, random);
    add({ ...someone, description: `${someone.description} Works at @${DEMO_ORGANIZATION}.`, verified: true });
  }
  while (people.length < PEOPLE) add(invent(world, random));
  return people;
}

const about = (...names: string[]) => names.map(topicNamed);

/** Those whom the rest of the world is built around. */
const known: readonly Traits[] = [
  {
    screenName: 'ada',
    name: 'Ada Lowell',
    topics: about('code', 'maths', 'coffee', 'trains'),
    description: 'Numbers, looms and strong coffee. I write programs for machines that do not exist yet.',
    location: 'Bologna',
    website: 'https://adalowell.example',
    premium: true,
    openDms: true,
    tweets: 110,
    appeal: 30,
  },
  {
    screenName: 'grace',
    name: 'Grace Hollis',
    topics: about('code', 'sea', 'baking', 'coffee'),
    description: 'Compilers before breakfast, boats after. It is easier to ask forgiveness than a code review.',
    location: 'Galway',
    openDms: true,
    tweets: 95,
    appeal: 28,
  },
  {
    screenName: 'linus',
    name: 'Linus Berg',
    topics: about('sea', 'hiking'),
    description: 'Under water or up a hill. Followers by request.',
    protected: true,
    tweets: 24,
    appeal: 4,
  },
  {
    screenName: DEMO_ORGANIZATION,
    name: 'Tidewater Labs',
    topics: about('sea', 'astronomy', 'code'),
    description: 'Open instruments for oceans and skies.',
    website: 'https://tidewaterlabs.example',
    location: 'Bergen',
    verified: true,
    verificationKind: 'business',
    openDms: true,
    tweets: 40,
    appeal: 40,
  },
  {
    screenName: 'citytrams',
    name: 'City Trams',
    topics: about('trains'),
    description: 'Service news from the tram office. We read replies on weekdays.',
    verified: true,
    verificationKind: 'government',
    tweets: 45,
    appeal: 35,
  },
  {
    screenName: 'quickgains',
    name: 'Quick Gains',
    topics: about('markets'),
    description: 'Suspended for repeating itself.',
    state: 'suspended',
    tweets: 18,
    appeal: 8,
  },
  {
    screenName: 'oldlantern',
    name: 'Old Lantern',
    topics: about('film', 'books'),
    description: 'Gone fishing.',
    state: 'deleted',
    tweets: 18,
    appeal: 10,
  },
];

function invent(world: World, random: Prng): Traits {
  const first = random.pick(firstNames);
  const last = random.pick(lastNames);
  const likes = random.shuffle(topics).slice(0, random.int(1, 3));
  // Few are heard by many: appeal falls off as a power law.
  const appeal = 1 + Math.floor(6 / (random.next() + 0.08));
  return {
    screenName: freeName(world, random, first, last),
    name: `${first} ${last}`,
    topics: likes,
    description: likes.map((topic) => random.pick(topic.bios)).join(' '),
    ...(random.chance(0.6) ? { location: random.pick(towns) } : {}),
    ...(random.chance(0.2) ? { website: `https://${first}${last}.example`.toLowerCase() } : {}),
    premium: random.chance(0.22),
    protected: random.chance(0.05),
    openDms: random.chance(0.4),
    tweets: Math.floor(2 + 26 * random.next() ** 2),
    appeal,
  };
}

function freeName(world: World, random: Prng, first: string, last: string): string {
  const shapes = [`${first}${last}`, `${first}_${last}`, `${first[0]}${last}`, `${first}${random.int(2, 99)}`];
  const names = random.shuffle(shapes).map((shape) => shape.toLowerCase().slice(0, 15));
  const free = names.find((name) => world.userNamed(name) === undefined);
  return free ?? `${first.toLowerCase().slice(0, 9)}${world.users.size}`;
}

function settle(world: World, seed: string, random: Prng, traits: Traits): Person {
  const { screenName } = traits;
  const isDemo = demoNames.some((name) => name === screenName);
  const user = world.addUser({
    id: userIdFor(seed, screenName, (id) => world.users.has(id)),
    screenName,
    name: traits.name,
    description: traits.description,
    location: traits.location ?? null,
    website: traits.website ?? null,
    createdAt: Date.UTC(2010, 0, 1) + random.int(0, 4700) * DAY_MS + random.int(0, DAY_MS - 1),
    verified: traits.verified ?? false,
    premium: traits.premium ?? false,
    verificationKind: traits.verificationKind ?? null,
    avatar: random.chance(0.94) || isDemo ? `/media/avatars/${screenName}-400x400.png` : null,
    banner: random.chance(0.5) || isDemo ? `/media/banners/${screenName}-1500x500.png` : null,
    protected: traits.protected ?? false,
    openDms: traits.openDms ?? false,
    state: traits.state ?? 'active',
    token: isDemo ? tokenFor(seed, screenName) : null,
    encryptionCode: isDemo ? encryptionCodeFor(seed, screenName) : null,
    earlierFavourites: random.int(20, 4000),
  });
  const emojiHabit = random.next() ** 2 * 0.6;
  return { user, topics: traits.topics, tweets: traits.tweets, appeal: traits.appeal, emojiHabit };
}
