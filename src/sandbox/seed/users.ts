import type { Dataset } from '../dataset/dataset.ts';
import type { User, UserState } from '../dataset/types.ts';
import { tokenFor, userIdFor } from './credentials.ts';
import { DEMO_ORGANIZATION, demoNames } from './demo.ts';
import { known, PRESS } from './known.ts';
import { type Prng, prng } from './prng.ts';
import type { Topic } from './topic.ts';
import { topics } from './topics.ts';

/** A user together with the traits that the generator needs. */
export interface SeedUser {
  readonly user: User;
  readonly topics: readonly Topic[];
  /** The number of tweets in the generated days. */
  readonly tweets: number;
  /** The weight with which other users choose to follow this user. */
  readonly appeal: number;
  readonly emojiHabit: number;
  /** The language and the texts of a user who writes only these texts. */
  readonly own: Traits['own'];
  /** The users whom this user follows, as an array for random picks. */
  friends: readonly SeedUser[];
}

export interface Traits {
  readonly screenName: string;
  readonly name: string;
  readonly topics: readonly Topic[];
  readonly description: string;
  readonly tweets: number;
  readonly appeal: number;
  readonly own?: { readonly lang: string; readonly texts: readonly string[] };
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
const USERS = 300;
/** Organizations and the number of accounts affiliated with each. */
export const affiliations = [
  { organization: DEMO_ORGANIZATION, count: 6 },
  { organization: PRESS, count: 5 },
] as const;

export function createUsers(dataset: Dataset, seed: string): SeedUser[] {
  const random = prng(seed, 'people');
  const users: SeedUser[] = [];
  const add = (traits: Traits) => users.push(settle(dataset, seed, random, traits));
  for (const traits of known) add(traits);
  for (const { organization, count } of affiliations) {
    for (let index = 0; index < count; index++) {
      const someone = invent(dataset, random, 'active');
      add({ ...someone, description: `${someone.description} Works at @${organization}.`, verified: true });
    }
  }
  while (users.length < USERS) {
    const fate = random.next();
    const state = fate < 0.02 ? 'suspended' : fate < 0.04 ? 'deleted' : 'active';
    add(invent(dataset, random, state));
  }
  return users;
}

function invent(dataset: Dataset, random: Prng, state: UserState): Traits {
  const [first, last] = [random.pick(firstNames), random.pick(lastNames)];
  const likes = random.sample(topics, random.int(1, 3));
  // Appeal follows a power law, so that few users have most of the followers.
  const appeal = Math.min(600, 1.5 * (1 - random.next()) ** -0.95);
  return {
    state,
    screenName: freeName(dataset, random, first.toLowerCase(), last.toLowerCase()),
    name: `${first} ${last}`,
    topics: likes,
    description: likes.map((topic) => random.pick(topic.bios)).join(' '),
    ...(random.chance(0.6) ? { location: random.pick(towns) } : {}),
    ...(random.chance(0.2) ? { website: `https://${first}${last}.example`.toLowerCase() } : {}),
    premium: random.chance(0.18),
    protected: random.chance(0.05),
    openDms: random.chance(0.4),
    verified: appeal > 60,
    // The number of tweets follows a power law, so that few users write most of the tweets.
    tweets: Math.min(160, Math.floor(2.6 * (1 - random.next()) ** -0.72 + random.next() * 4)),
    appeal,
  };
}

function freeName(dataset: Dataset, random: Prng, first: string, last: string): string {
  const year = random.int(60, 99);
  const shapes = [`${first}${last}`, `${first}_${last}`, `${first[0]}${last}`, `${first}${year}`, `${last}_${first}`];
  const names = random.sample(shapes, shapes.length).map((shape) => shape.slice(0, 15));
  const free = names.find((name) => dataset.userNamed(name) === undefined);
  return free ?? `${first.slice(0, 9)}${last[0]}${dataset.users.size}`;
}

function settle(dataset: Dataset, seed: string, random: Prng, traits: Traits): SeedUser {
  const { screenName } = traits;
  const isDemo = demoNames.some((name) => name === screenName);
  const user = dataset.addUser({
    id: userIdFor(seed, screenName, (id) => dataset.users.has(id)),
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
    chatLabel: isDemo ? screenName : null,
    hasChatKeys: isDemo,
  });
  const { topics, tweets, appeal, own } = traits;
  return { user, topics, tweets, appeal, own, emojiHabit: random.next() ** 2 * 0.6, friends: [] };
}

const firstNames = (
  'Mara Jonas Priya Tomas Elif Noor Sven Aisha Luca Ines Kofi Hana Mateo Freya Omar Lena Diego Yuki Clara Anton ' +
  'Zara Milo Ingrid Ravi Beatriz Oskar Leila Hugo Nadia Emil Tara Felix Amara Pavel Sofia Jamal Greta Ivo Meera ' +
  'Caleb Lotte Idris Rosa Henrik Farah Nils Abena Marco Signe Kenji Paula Stefan Dalia Ewan Vera Tariq Alma Bruno ' +
  'Chiara Malik Edith Rafael Sana Theo Wilma Arjun Nora Quentin Iris Samir Petra Joao Astrid Basil Carmen'
).split(' ');

const lastNames = (
  'Lindqvist Okafor Marsh Tanaka Ferreira Novak Haddad Bauer Sato Moreau Kowalski Adeyemi Rossi Nakamura Petrov ' +
  'Hughes Silva Berger Iqbal Dahl Costa Mensah Weber Fontaine Reyes Larsen Banerjee Keller Murphy Santos Holm ' +
  'Aydin Visser Papadakis Nguyen Castillo Brandt Osei Fischer Duarte Ek Karimi Vogel Ito Marino Chowdhury Wells ' +
  'Sorensen Pires Hartmann Laurent Mori Bianchi Achterberg Fraser Nilsen Rahman Solis Teller Yilmaz'
).split(' ');

const towns = (
  'Lisbon|Ghent|Leeds|Porto|Bergen|Bologna|Galway|Ljubljana|Halifax|Kyoto|Utrecht|Malmö|Graz|Bilbao|Tartu|' +
  'Somewhere near the sea|The slow train|Wellington|Accra|Montréal|Valparaíso|Pune|Basel|Aarhus|Glasgow'
).split('|');
