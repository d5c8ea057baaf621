import { Dataset } from '../dataset/dataset.ts';
import { listIdFor } from './credentials.ts';
import { generateFollows } from './follows.ts';
import { prng } from './prng.ts';
import { fillTimeline } from './timeline.ts';
import { affiliations, createUsers, type SeedUser } from './users.ts';

/** The seed of every sandbox for which no other is chosen. */
export const defaultSeed = 'postern';

/** Generates the dataset of a seed. Ids and credentials depend on the seed only. Times are relative to the epoch. */
export function buildDataset(seed: string, epochMs: number): Dataset {
  const dataset = new Dataset();
  const users = createUsers(dataset, seed);
  generateFollows(dataset, seed, users);
  makeLists(dataset, seed, users);
  makeAffiliates(dataset, users);
  fillTimeline(dataset, seed, epochMs, users);
  return dataset;
}

/** The first list is the list of the demo. */
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

function makeLists(dataset: Dataset, seed: string, users: readonly SeedUser[]): void {
  const random = prng(seed, 'lists');
  for (const [ownerName, name, size] of lists) {
    const owner = dataset.userNamed(ownerName);
    if (owner === undefined) throw new Error(`the dataset lacks ${ownerName}`);
    const open = users.filter(({ user }) => user.state === 'active' && user !== owner);
    const members = random.sample(open, size).map((person) => person.user);
    dataset.addList({ id: listIdFor(seed, name), name, owner, members });
  }
}

function makeAffiliates(dataset: Dataset, users: readonly SeedUser[]): void {
  for (const { organization: name, count } of affiliations) {
    const organization = dataset.userNamed(name);
    const members = users.filter((person) => person.user.description.endsWith(`@${name}.`));
    if (organization === undefined || members.length !== count) throw new Error(`${name} lacks affiliates`);
    dataset.affiliates.set(
      organization,
      members.map((person) => person.user),
    );
  }
}
