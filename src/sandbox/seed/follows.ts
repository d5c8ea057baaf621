import type { Dataset } from '../dataset/dataset.ts';
import { demoNames } from './demo.ts';
import { prng } from './prng.ts';
import type { SeedUser } from './users.ts';

/** The least numbers of followers of the demo accounts. */
const leastFollowers = { ada: 120, grace: 160, linus: 12 };

/** Generates the follows. Popular users get most followers. Shared interests make a follow more likely. */
export function generateFollows(dataset: Dataset, seed: string, users: readonly SeedUser[]): void {
  const random = prng(seed, 'follows');
  const active = users.filter(({ user }) => user.state === 'active');
  const isDemo = ({ user }: SeedUser) => demoNames.some((name) => name === user.screenName);
  const isAllowed = (follower: SeedUser, followed: SeedUser) =>
    follower !== followed && !(isDemo(follower) && followed.user.screenName === 'linus');
  const drawn = weightedPicker(active, random.next);
  for (const person of active) {
    const wanted = Math.min(150, Math.floor(8 + 9 * (1 - random.next()) ** -0.7));
    for (let tries = 0; person.user.following.size < wanted && tries < wanted * 3; tries++) {
      const other = drawn();
      if (!isAllowed(person, other)) continue;
      const shared = other.topics.some((topic) => person.topics.includes(topic));
      if (shared || random.chance(0.5)) dataset.follow(person.user, other.user);
      // Popular users follow back less often.
      const returns = 0.4 / (1 + other.appeal / 12);
      if (random.chance(returns) && isAllowed(other, person)) dataset.follow(other.user, person.user);
    }
  }

  const [ada, grace, linus] = demoNames.map((name) => active.find(({ user }) => user.screenName === name));
  if (ada === undefined || grace === undefined || linus === undefined) throw new Error('the demo accounts are missing');
  dataset.follow(ada.user, grace.user);
  dataset.follow(grace.user, ada.user);
  const others = active.filter((person) => !isDemo(person));
  for (const person of [ada, grace, linus]) {
    const least = leastFollowers[person.user.screenName as keyof typeof leastFollowers];
    for (const { user } of random.sample(others, others.length)) {
      if (person.user.followers.size < least) dataset.follow(user, person.user);
    }
  }
  // Ada knows some of the followers of grace.
  for (const { user } of random.sample(others, 8)) {
    dataset.follow(user, grace.user);
    dataset.follow(ada.user, user);
  }

  const personOf = new Map(users.map((person) => [person.user, person]));
  for (const person of users) {
    person.friends = [...person.user.following].map((user) => personOf.get(user) ?? person);
  }
}

/** Returns a function that picks a random user, weighted by appeal, by binary search. */
function weightedPicker(users: readonly SeedUser[], next: () => number): () => SeedUser {
  let total = 0;
  const ends = users.map(({ appeal }) => (total += appeal));
  return () => {
    const drawn = next() * total;
    let low = 0;
    let high = users.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) <= drawn) low = middle + 1;
      else high = middle;
    }
    return users[low] as SeedUser;
  };
}
