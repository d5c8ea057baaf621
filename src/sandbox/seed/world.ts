import { World } from '../world/world.ts';
import { listIdFor } from './credentials.ts';
import { DEMO_ORGANIZATION } from './demo.ts';
import { connect } from './follows.ts';
import { AFFILIATES, type Person, populate } from './people.ts';
import { prng } from './prng.ts';
import { fillTimeline } from './timeline.ts';

/** The world as the seed has it. Ids and credentials derive from the seed alone; times count back from the epoch. */
export function buildWorld(seed: string, epochMs: number): World {
  const world = new World();
  const people = populate(world, seed);
  connect(world, seed, people);
  makeLists(world, seed, people);
  makeAffiliates(world, people);
  fillTimeline(world, seed, epochMs, people);
  return world;
}

function makeLists(world: World, seed: string, people: readonly Person[]): void {
  const random = prng(seed, 'lists');
  const owner = people.find((person) => person.user.screenName === 'ada');
  if (owner === undefined) throw new Error('the world lacks ada');
  const open = people.filter(({ user }) => user.state === 'active' && user !== owner.user);
  const names = ['People who build things', 'Sea and sky', 'Slow mornings'];
  for (const [index, name] of names.entries()) {
    const members = random.shuffle(open).slice(0, 30 - index * 8);
    world.addList({
      id: listIdFor(seed, name),
      name,
      owner: owner.user,
      members: members.map((person) => person.user),
    });
  }
}

function makeAffiliates(world: World, people: readonly Person[]): void {
  const at = people.findIndex((person) => person.user.screenName === DEMO_ORGANIZATION);
  const organization = people[at]?.user;
  if (organization === undefined) throw new Error('the world lacks its organization');
  const members = people.filter((person) => person.user.description.endsWith(`@${DEMO_ORGANIZATION}.`));
  if (members.length !== AFFILIATES) throw new Error('the organization lacks affiliates');
  world.affiliates.set(
    organization,
    members.map((person) => person.user),
  );
}
