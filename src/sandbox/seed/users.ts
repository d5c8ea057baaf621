import type { Dataset } from '../dataset/dataset.ts';
import type { User, UserState } from '../dataset/types.ts';
import { tokenFor, userIdFor } from './credentials.ts';
import { DEMO_ORGANIZATION, demoNames } from './demo.ts';
import { known, PRESS } from './known.ts';
import { type Community, communities } from './languages.ts';
import { type Prng, prng } from './prng.ts';
import type { Language, Topic } from './topic.ts';

/** A user together with the traits that the generator needs. */
export interface SeedUser {
  readonly user: User;
  readonly language: Language;
  readonly topics: readonly Topic[];
  /** The number of tweets in the generated days. */
  readonly tweets: number;
  /** The weight with which other users choose to follow this user. */
  readonly appeal: number;
  readonly emojiHabit: number;
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
  readonly community?: Community;
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
const USERS = 2_080;
/** Organizations and the number of accounts affiliated with each. */
export const affiliations = [
  { organization: DEMO_ORGANIZATION, count: 6 },
  { organization: PRESS, count: 5 },
] as const;

export function createUsers(dataset: Dataset, seed: string): SeedUser[] {
  const random = prng(seed, 'people');
  const users: SeedUser[] = [];
  const all = communities(firstNames, lastNames, towns);
  const [english] = all;
  if (english === undefined) throw new Error('no community');
  const add = (traits: Traits) => users.push(settle(dataset, seed, random, traits, english));
  for (const traits of known) add(traits);
  for (const { organization, count } of affiliations) {
    for (let index = 0; index < count; index++) {
      const someone = invent(dataset, random, english, 'active');
      add({ ...someone, description: `${someone.description} Works at @${organization}.`, verified: true });
    }
  }
  while (users.length < USERS) {
    const fate = random.next();
    const state = fate < 0.012 ? 'suspended' : fate < 0.024 ? 'deleted' : 'active';
    add(
      invent(
        dataset,
        random,
        random.weighted(all, ({ language }) => language.share),
        state,
      ),
    );
  }
  return users;
}

function invent(dataset: Dataset, random: Prng, community: Community, state: UserState): Traits {
  const [first, firstLatin] = nameOf(random.pick(community.firstNames));
  const [last, lastLatin] = nameOf(random.pick(community.lastNames));
  const likes = random.shuffle(community.topics).slice(0, random.int(1, 3));
  // Appeal follows a power law, so that few users have most of the followers.
  const appeal = Math.min(600, 1.5 * (1 - random.next()) ** -0.95);
  const gap = community.language.lang === 'ja' ? '' : ' ';
  return {
    community,
    state,
    screenName: freeName(dataset, random, firstLatin, lastLatin),
    name: community.language.lang === 'ja' ? `${last}${first}` : `${first} ${last}`,
    topics: likes,
    description: likes.map((topic) => random.pick(topic.bios)).join(gap),
    ...(random.chance(0.6) ? { location: random.pick(community.towns) } : {}),
    ...(random.chance(0.2) ? { website: `https://${firstLatin}${lastLatin}.example` } : {}),
    premium: random.chance(0.18),
    protected: random.chance(0.05),
    openDms: random.chance(0.4),
    verified: appeal > 60,
    // The number of tweets follows a power law, so that few users write most of the tweets.
    tweets: Math.min(160, Math.floor(2.6 * (1 - random.next()) ** -0.72 + random.next() * 4)),
    appeal,
  };
}

/** Splits a name into its displayed form and its form in Latin letters, from which the screen name is made. */
function nameOf(name: string): [string, string] {
  const [shown = '', latin = shown] = name.split('=');
  const plain = latin.normalize('NFD').replace(/[^A-Za-z]/g, '');
  return [shown, plain.toLowerCase()];
}

function freeName(dataset: Dataset, random: Prng, first: string, last: string): string {
  const year = random.int(60, 99);
  const shapes = [`${first}${last}`, `${first}_${last}`, `${first[0]}${last}`, `${first}${year}`, `${last}_${first}`];
  const names = random.shuffle(shapes).map((shape) => shape.slice(0, 15));
  const free = names.find((name) => dataset.userNamed(name) === undefined);
  return free ?? `${first.slice(0, 9)}${last[0]}${dataset.users.size}`;
}

function settle(dataset: Dataset, seed: string, random: Prng, traits: Traits, english: Community): SeedUser {
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
    earlierFavourites: random.int(20, 4000),
  });
  const { topics, tweets, appeal } = traits;
  const { language } = traits.community ?? english;
  return { user, language, topics, tweets, appeal, emojiHabit: random.next() ** 2 * 0.6, friends: [] };
}

export const firstNames = (
  'Mara Jonas Priya Tomas Elif Noor Sven Aisha Luca Ines Kofi Hana Mateo Freya Omar Lena Diego Yuki Clara Anton ' +
  'Zara Milo Ingrid Ravi Beatriz Oskar Leila Hugo Nadia Emil Tara Felix Amara Pavel Sofia Jamal Greta Ivo Meera ' +
  'Caleb Lotte Idris Rosa Henrik Farah Nils Abena Marco Signe Kenji Paula Stefan Dalia Ewan Vera Tariq Alma Bruno ' +
  'Chiara Malik Edith Rafael Sana Theo Wilma Arjun Nora Quentin Iris Samir Petra Joao Astrid Basil Carmen'
).split(' ');

export const lastNames = (
  'Lindqvist Okafor Marsh Tanaka Ferreira Novak Haddad Bauer Sato Moreau Kowalski Adeyemi Rossi Nakamura Petrov ' +
  'Hughes Silva Berger Iqbal Dahl Costa Mensah Weber Fontaine Reyes Larsen Banerjee Keller Murphy Santos Holm ' +
  'Aydin Visser Papadakis Nguyen Castillo Brandt Osei Fischer Duarte Ek Karimi Vogel Ito Marino Chowdhury Wells ' +
  'Sorensen Pires Hartmann Laurent Mori Bianchi Achterberg Fraser Nilsen Rahman Solis Teller Yilmaz'
).split(' ');

export const towns = (
  'Lisbon|Ghent|Leeds|Porto|Bergen|Bologna|Galway|Ljubljana|Halifax|Kyoto|Utrecht|Malmö|Graz|Bilbao|Tartu|' +
  'Somewhere near the sea|The slow train|Wellington|Accra|Montréal|Valparaíso|Pune|Basel|Aarhus|Glasgow'
).split('|');
