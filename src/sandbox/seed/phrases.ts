import type { Person } from './people.ts';
import type { Prng } from './prng.ts';
import { commonQuotes, commonReplies, commonSlots, type Topic } from './topic.ts';

/** Writes what people say, and never the same twice. */
export class Phrases {
  readonly #random: Prng;
  readonly #said = new Set<string>();

  constructor(random: Prng) {
    this.#random = random;
  }

  post(person: Person, topic: Topic): string {
    const random = this.#random;
    return this.#fresh(() => {
      let text = this.#fill(random.pick(topic.texts), topic);
      const friends = [...person.user.following];
      if (friends.length > 0 && random.chance(0.07)) text += ` With @${random.pick(friends).screenName}.`;
      if (topic.symbols !== undefined && random.chance(0.7)) text += ` $${random.pick(topic.symbols)}`;
      if (random.chance(0.1)) text += ` ${random.pick(topic.links)}`;
      if (random.chance(person.emojiHabit)) text += ` ${random.pick(topic.emoji)}`;
      if (random.chance(0.22)) text += ` #${random.pick(topic.tags)}`;
      return text;
    });
  }

  reply(to: Person, topic: Topic): string {
    const random = this.#random;
    return this.#fresh(() => {
      const text = this.#fill(random.pick(random.chance(0.55) ? topic.replies : commonReplies), topic);
      return `@${to.user.screenName} ${text}${random.chance(0.12) ? ` ${random.pick(topic.emoji)}` : ''}`;
    });
  }

  /** The next tweet of a thread by the same author. */
  more(topic: Topic): string {
    return this.#fresh(() => this.#fill(`${this.#random.pick(leads)} ${this.#random.pick(topic.texts)}`, topic));
  }

  quote(topic: Topic): string {
    const random = this.#random;
    return this.#fresh(() => {
      const text = this.#fill(random.pick(random.chance(0.3) ? topic.replies : commonQuotes), topic);
      return random.chance(0.25) ? `${text} #${random.pick(topic.tags)}` : text;
    });
  }

  #fill(template: string, topic: Topic): string {
    const text = template.replace(/\{(\w+)\}/g, (_, slot: string) => {
      const choices = topic.slots[slot] ?? commonSlots[slot];
      if (choices === undefined) throw new Error(`${topic.name} has no slot ${slot}`);
      return this.#random.pick(choices);
    });
    return text.replace(/(^|[.!?] )([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
  }

  #fresh(write: () => string): string {
    for (let attempt = 0; ; attempt++) {
      const text = attempt < 12 ? write() : `${write()} ${this.#random.pick(afterthoughts)}`;
      if (this.#said.has(text)) continue;
      this.#said.add(text);
      return text;
    }
  }
}

const leads = ['One more thing:', 'Also:', 'Update:', 'To be fair:', 'And then:', 'Part two:'];
const afterthoughts = [
  'Truly.',
  'Honestly.',
  'Every time.',
  'There, I said it.',
  'That is all.',
  'Again.',
  'More soon.',
];
