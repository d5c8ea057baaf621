import type { Clients } from '../chat/client.ts';
import { hasSeedKeys } from '../chat/public-keys.ts';
import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import { Story, type Teller } from './chat-story.ts';
import { demoNames } from './demo.ts';
import { prng } from './prng.ts';

/** How many conversations each demo account has besides that of ada and grace, and how many requests wait for it. */
const wanted = {
  ada: { established: 6, requests: 2 },
  grace: { established: 4, requests: 1 },
  linus: { established: 2, requests: 0 },
};

/**
 * The conversations of the demo accounts before the epoch. Who wrote when is made here; what they wrote is made and sealed
 * when it is first looked at, by clients whose keys are made then.
 */
export function makeChats(dataset: Dataset, seed: string, epochMs: number, clients: Clients): void {
  const random = prng(seed, 'chats');
  const teller: Teller = { dataset, seed, epochMs, clients, random, told: 0 };
  const tell = (first: User, second: User, answered: boolean) => new Story(teller, first, second).tell(answered);
  for (const name of demoNames) {
    const user = dataset.userNamed(name);
    if (user === undefined) throw new Error(`the dataset lacks ${name}`);
    const open = (other: User) => other.state === 'active' && other.token === null && hasSeedKeys(other);
    const followed = random.shuffle([...user.following].filter(open));
    const mutual = followed.filter((other) => other.following.has(user));
    const known = [...mutual, ...followed.filter((other) => !mutual.includes(other))];
    for (const other of known.slice(0, wanted[name].established)) {
      if (random.chance(0.5)) tell(user, other, true);
      else tell(other, user, true);
    }
    const strangers = [...user.followers].filter((other) => open(other) && !user.following.has(other));
    for (const other of random.shuffle(strangers).slice(0, wanted[name].requests)) tell(other, user, false);
  }
  const [ada, grace] = demoNames.map((name) => dataset.userNamed(name));
  if (ada !== undefined && grace !== undefined) tell(grace, ada, true);
}
