import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import { isPublic } from '../dataset/visibility.ts';
import { known } from '../seed/known.ts';
import { Phrases } from '../seed/phrases.ts';
import { type Prng, prng } from '../seed/prng.ts';
import type { Topic } from '../seed/topic.ts';
import { topics } from '../seed/topics.ts';

/** The number of generated texts that are remembered to avoid repetitions. The limit keeps memory use low. */
const REMEMBERED_TEXTS = 5_000;

/** Users without credentials who perform simulated actions, and a generator of their texts. */
export class SimulatedUsers {
  readonly random: Prng;
  readonly #users: readonly User[];
  #phrases: Phrases;
  #texts = 0;
  #turn = 0;

  /** Creates the users and texts deterministically from the dataset and the seed. */
  constructor(dataset: Dataset, seed: string) {
    this.random = prng(seed, `extras ${dataset.activity.lastId}`);
    this.#phrases = new Phrases(this.random);
    const free = [...dataset.users.values()].filter((user) => user.token === null && isPublic(user));
    this.#users = this.random.sample(free, free.length);
  }

  /**
   * Returns all users, starting after the users of the previous call. `wanted` is the number of users that the caller
   * will use.
   */
  usersInTurn(wanted: number): User[] {
    const at = this.#turn % this.#users.length;
    this.#turn += wanted;
    return [...this.#users.slice(at), ...this.#users.slice(0, at)];
  }

  /** The text does not begin with the user's name, because the reply would also be a mention. */
  reply(to: User): string {
    return this.#say((phrases) => phrases.reply({ user: to }, this.#topicOf(to)).replace(`@${to.screenName} `, ''));
  }

  quote(of: User): string {
    return this.#say((phrases) => phrases.quote(this.#topicOf(of)));
  }

  mention(of: User): string {
    return this.#say((phrases) => phrases.mention({ user: of }, this.#topicOf(of)));
  }

  /** Returns the text of an answer to a direct message. */
  answer(by: User): string {
    return this.#say((phrases) => phrases.answer(this.#topicOf(by)));
  }

  #topicOf({ screenName }: User): Topic {
    return this.random.pick(known.find((traits) => traits.screenName === screenName)?.topics ?? topics);
  }

  #say(make: (phrases: Phrases) => string): string {
    if (++this.#texts % REMEMBERED_TEXTS === 0) this.#phrases = new Phrases(this.random);
    return make(this.#phrases);
  }
}
