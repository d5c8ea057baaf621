import type { World } from '../world/world.ts';
import { demoNames } from './demo.ts';
import type { Person } from './people.ts';
import { prng } from './prng.ts';

/** Who follows whom: the appealing are followed by many, and shared interests help. */
export function connect(world: World, seed: string, people: readonly Person[]): void {
  const random = prng(seed, 'follows');
  const [ada, grace, linus] = demoNames.map((name) => people.find((person) => person.user.screenName === name));
  if (ada === undefined || grace === undefined || linus === undefined) throw new Error('the demo accounts are missing');

  const isDemo = (person: Person) => person === ada || person === grace || person === linus;
  for (const person of people) {
    const wanted = Math.min(people.length / 3, Math.floor(6 + 10 / (random.next() + 0.15)));
    for (let tries = 0; person.user.following.size < wanted && tries < wanted * 4; tries++) {
      const other = random.weighted(people, (candidate) => candidate.appeal);
      if (other === person || other.user.state !== 'active') continue;
      if (other === linus && isDemo(person)) continue;
      const shared = other.topics.some((topic) => person.topics.includes(topic));
      if (shared || random.chance(0.5)) world.follow(person.user, other.user);
      if (random.chance(0.25) && !(person === linus && isDemo(other))) world.follow(other.user, person.user);
    }
  }

  world.follow(ada.user, grace.user);
  world.follow(grace.user, ada.user);
  const others = random.shuffle(people.filter((person) => !isDemo(person) && person.user.state === 'active'));
  // Enough for every demonstration, whatever chance brought: followers of each, and some that ada knows.
  for (const person of others.slice(0, 14)) world.follow(person.user, ada.user);
  for (const person of others.slice(6, 22)) world.follow(person.user, grace.user);
  for (const person of others.slice(10, 18)) world.follow(ada.user, person.user);
  for (const person of others.slice(30, 35)) world.follow(person.user, linus.user);
}
