import { hasSeedKeys } from '../chat/public-keys.ts';
import type { SeedChatClients } from '../chat/seed-chat-clients.ts';
import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import { ConversationGenerator, type GeneratorContext } from './conversation-generator.ts';
import { demoNames } from './demo.ts';
import { prng } from './prng.ts';

/**
 * The numbers of conversations and message requests of each demo account. The conversation between ada and grace is not
 * counted.
 */
const wanted = {
  ada: { established: 6, requests: 2 },
  grace: { established: 4, requests: 1 },
  linus: { established: 2, requests: 0 },
};

/**
 * Generates the conversations of the demo accounts before the epoch. Times and senders are generated now. Texts are
 * written and encrypted when they are first read.
 */
export function makeChats(dataset: Dataset, seed: string, epochMs: number, clients: SeedChatClients): void {
  const random = prng(seed, 'chats');
  const teller: GeneratorContext = { dataset, seed, epochMs, clients, random, eventCount: 0 };
  const tell = (first: User, second: User, answered: boolean) =>
    new ConversationGenerator(teller, first, second).generate(answered);
  for (const name of demoNames) {
    const user = dataset.userNamed(name);
    if (user === undefined) throw new Error(`the dataset lacks ${name}`);
    const open = (other: User) => other.state === 'active' && other.token === null && hasSeedKeys(other);
    const followed = random.sample([...user.following].filter(open), user.following.size);
    const mutual = followed.filter((other) => other.following.has(user));
    const known = [...mutual, ...followed.filter((other) => !mutual.includes(other))];
    for (const other of known.slice(0, wanted[name].established)) {
      if (random.chance(0.5)) tell(user, other, true);
      else tell(other, user, true);
    }
    const strangers = [...user.followers].filter((other) => open(other) && !user.following.has(other));
    for (const other of random.sample(strangers, wanted[name].requests)) tell(other, user, false);
  }
  const [ada, grace] = demoNames.map((name) => dataset.userNamed(name));
  if (ada !== undefined && grace !== undefined) tell(grace, ada, true);
}
