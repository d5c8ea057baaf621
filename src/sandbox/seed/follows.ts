import type { Dataset } from '../dataset/dataset.ts';
import { demoNames } from './demo.ts';
import { type Prng, prng } from './prng.ts';
import type { SeedUser } from './users.ts';

/**
 * Generates the follows. Popular users get most followers. A shared language and shared interests make a follow more
 * likely.
 */
export function generateFollows(dataset: Dataset, seed: string, users: readonly SeedUser[]): void {
  const random = prng(seed, 'follows');
  const [ada, grace, linus] = demoNames.map((name) => users.find((person) => person.user.screenName === name));
  if (ada === undefined || grace === undefined || linus === undefined) throw new Error('the demo accounts are missing');

  const active = users.filter((person) => person.user.state === 'active');
  const everybody = weightedPicker(users);
  const byLanguage = new Map(
    [...new Set(users.map((person) => person.language))].map((language) => [
      language,
      weightedPicker(users.filter((person) => person.language === language)),
    ]),
  );
  const isDemo = (person: SeedUser) => person === ada || person === grace || person === linus;
  for (const person of users) {
    const near = byLanguage.get(person.language) ?? everybody;
    const wanted = Math.min(400, Math.floor(10 + 12 * (1 - random.next()) ** -0.7));
    for (let tries = 0; person.user.following.size < wanted && tries < wanted * 3; tries++) {
      const other = (random.chance(0.9) ? near : everybody)(random);
      // Suspended and deleted accounts keep only a few followers.
      if (other === person || (other.user.state !== 'active' && random.chance(0.8))) continue;
      if (other === linus && isDemo(person)) continue;
      const shared = other.topics.some((topic) => person.topics.includes(topic));
      if (shared || random.chance(0.5)) dataset.follow(person.user, other.user);
      // Popular users follow back less often.
      const returns = 0.4 / (1 + other.appeal / 12);
      if (random.chance(returns) && !(person === linus && isDemo(other))) dataset.follow(other.user, person.user);
    }
  }

  dataset.follow(ada.user, grace.user);
  dataset.follow(grace.user, ada.user);
  const others = random.shuffle(active.filter((person) => !isDemo(person)));
  // Make sure that the demo accounts have enough followers, and that ada follows some of them.
  for (const person of others.slice(0, 14)) dataset.follow(person.user, ada.user);
  for (const person of others.slice(6, 22)) dataset.follow(person.user, grace.user);
  for (const person of others.slice(10, 18)) dataset.follow(ada.user, person.user);
  for (const person of others.slice(30, 35)) dataset.follow(person.user, linus.user);

  const personOf = new Map(users.map((person) => [person.user, person]));
  for (const person of users) {
    person.friends = [...person.user.following].map((user) => personOf.get(user) ?? person);
  }
}

/** Returns a function that picks a random user, weighted by appeal, by binary search. */
function weightedPicker(users: readonly SeedUser[]): (random: Prng) => SeedUser {
  const ends = new Float64Array(users.length);
  let total = 0;
  for (const [index, person] of users.entries()) {
    total += person.appeal;
    ends[index] = total;
  }
  return (random) => {
    const drawn = random.next() * total;
    let low = 0;
    let high = users.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) <= drawn) low = middle + 1;
      else high = middle;
    }
    const person = users[low];
    if (person === undefined) throw new Error('nobody to draw');
    return person;
  };
}
