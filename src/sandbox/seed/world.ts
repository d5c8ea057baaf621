import { World } from '../world/world.ts';
import { listIdFor } from './credentials.ts';
import { connect } from './follows.ts';
import { affiliations, type Person, populate } from './people.ts';
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

/** The first is the demo's. */
const lists = [
  ['ada', 'People who build things', 30],
  ['ada', 'Sea and sky', 22],
  ['ada', 'Slow mornings', 14],
  ['grace', 'Boats and compilers', 48],
  ['grace', 'Small bakeries', 12],
  ['tidewater_labs', 'Our crew and friends', 160],
  ['northlightpress', 'Readers', 230],
  ['citytrams', 'Other offices', 7],
] as const;

function makeLists(world: World, seed: string, people: readonly Person[]): void {
  const random = prng(seed, 'lists');
  for (const [ownerName, name, size] of lists) {
    const owner = world.userNamed(ownerName);
    if (owner === undefined) throw new Error(`the world lacks ${ownerName}`);
    const open = people.filter(({ user }) => user.state === 'active' && user !== owner);
    const members = random.shuffle(open).slice(0, size);
    world.addList({ id: listIdFor(seed, name), name, owner, members: members.map((person) => person.user) });
  }
}

function makeAffiliates(world: World, people: readonly Person[]): void {
  for (const { organization: name, count } of affiliations) {
    const organization = world.userNamed(name);
    const members = people.filter((person) => person.user.description.endsWith(`@${name}.`));
    if (organization === undefined || members.length !== count) throw new Error(`${name} lacks affiliates`);
    world.affiliates.set(
      organization,
      members.map((person) => person.user),
    );
  }
}
