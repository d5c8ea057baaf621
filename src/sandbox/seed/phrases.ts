import type { Person } from './people.ts';
import type { Prng } from './prng.ts';
import { tongueOf } from './tongues.ts';
import type { Tongue, Topic } from './topic.ts';

type Piece = { readonly slot: string; readonly text: string };

/** Writes what people say, and never the same twice. */
export class Phrases {
  readonly #random: Prng;
  readonly #said = new Set<string>();
  /** Templates taken apart once. */
  readonly #parts = new Map<string, readonly Piece[]>();

  constructor(random: Prng) {
    this.#random = random;
  }

  post(person: Pick<Person, 'friends' | 'emojiHabit'>, topic: Topic): string {
    const random = this.#random;
    const tongue = tongueOf(topic);
    return this.#fresh(tongue, () => {
      let text = this.#fill(random.pick(topic.texts), topic, tongue);
      if (random.chance(0.22)) text += tongue.space + random.pick(tongue.remarks);
      if (person.friends.length > 0 && random.chance(0.07)) {
        text += ` ${tongue.company.replace('{name}', random.pick(person.friends).user.screenName)}`;
      }
      if (topic.symbols !== undefined && random.chance(0.7)) text += ` $${random.pick(topic.symbols)}`;
      if (random.chance(0.1)) text += ` ${random.pick(topic.links)}`;
      if (random.chance(person.emojiHabit)) text += ` ${random.pick(topic.emoji)}`;
      if (random.chance(0.22)) text += ` #${random.pick(topic.tags)}`;
      return text;
    });
  }

  reply(to: Pick<Person, 'user'>, topic: Topic): string {
    const random = this.#random;
    const tongue = tongueOf(topic);
    return this.#fresh(tongue, () => {
      const text = this.#fill(random.pick(random.chance(0.55) ? topic.replies : tongue.replies), topic, tongue);
      return `@${to.user.screenName} ${text}${random.chance(0.12) ? ` ${random.pick(topic.emoji)}` : ''}`;
    });
  }

  /** An answer that names nobody, as between two. */
  answer(topic: Topic): string {
    const random = this.#random;
    const tongue = tongueOf(topic);
    return this.#fresh(tongue, () =>
      this.#fill(random.pick(random.chance(0.55) ? topic.replies : tongue.replies), topic, tongue),
    );
  }

  /** The next tweet of a thread by the same author. */
  more(topic: Topic): string {
    const random = this.#random;
    const tongue = tongueOf(topic);
    return this.#fresh(tongue, () => {
      const said = this.#fill(random.pick(topic.texts), topic, tongue);
      return random.pick(tongue.leads) + tongue.space + said;
    });
  }

  quote(topic: Topic): string {
    const random = this.#random;
    const tongue = tongueOf(topic);
    return this.#fresh(tongue, () => {
      let text = this.#fill(random.pick(random.chance(0.4) ? topic.replies : tongue.quotes), topic, tongue);
      if (random.chance(0.3)) text += tongue.space + random.pick(tongue.remarks);
      return random.chance(0.3) ? `${text} #${random.pick(topic.tags)}` : text;
    });
  }

  /** Speaks to somebody who did not say anything first. */
  mention(of: Pick<Person, 'user'>, topic: Topic): string {
    const random = this.#random;
    const tongue = tongueOf(topic);
    return this.#fresh(tongue, () => {
      const said = this.#fill(random.pick(topic.texts), topic, tongue);
      const name = of.user.screenName;
      if (random.chance(0.5)) return `@${name} ${said}`;
      return said + tongue.space + tongue.company.replace('{name}', name);
    });
  }

  #fill(template: string, topic: Topic, tongue: Tongue): string {
    let text = '';
    for (const piece of this.#partsOf(template)) {
      let part = piece.text;
      if (piece.slot !== '') {
        const choices = topic.slots[piece.slot] ?? tongue.slots[piece.slot];
        if (choices === undefined) throw new Error(`${topic.name} has no slot ${piece.slot}`);
        part = this.#random.pick(choices);
        if (text === '' || /[.!?] $/.test(text)) part = part.charAt(0).toUpperCase() + part.slice(1);
      }
      text += part;
    }
    return text;
  }

  #partsOf(template: string): readonly Piece[] {
    let parts = this.#parts.get(template);
    if (parts === undefined) {
      parts = template
        .split(/(\{\w+\})/)
        .filter((part) => part !== '')
        .map((part) => (part.startsWith('{') ? { slot: part.slice(1, -1), text: '' } : { slot: '', text: part }));
      this.#parts.set(template, parts);
    }
    return parts;
  }

  #fresh(tongue: Tongue, write: () => string): string {
    for (let attempt = 0; ; attempt++) {
      let text = write();
      // Where a language has run out of new ways to say it, a remark or two make the difference.
      for (let extra = 2; extra < Math.min(attempt, 6); extra++) {
        text += tongue.space + this.#random.pick(tongue.remarks);
      }
      if (this.#said.has(text)) continue;
      this.#said.add(text);
      return text;
    }
  }
}
