import type { Prng } from './prng.ts';
import { commonQuotes, commonReplies, commonSlots, leads, remarks } from './sentences.ts';
import type { Topic } from './topic.ts';
import type { SeedUser } from './users.ts';

type Piece = { readonly slot: string; readonly text: string };

/** Generates texts of tweets and messages. A text is never repeated. */
export class Phrases {
  readonly #random: Prng;
  readonly #said = new Set<string>();
  /** Parsed templates by their text. */
  readonly #parts = new Map<string, readonly Piece[]>();

  constructor(random: Prng) {
    this.#random = random;
  }

  post(person: Pick<SeedUser, 'friends' | 'emojiHabit'>, topic: Topic): string {
    const random = this.#random;
    return this.#fresh(() => {
      let text = this.#fill(random.pick(topic.texts), topic);
      if (random.chance(0.22)) text += ` ${random.pick(remarks)}`;
      if (person.friends.length > 0 && random.chance(0.07)) {
        text += ` With @${random.pick(person.friends).user.screenName}.`;
      }
      if (topic.symbols !== undefined && random.chance(0.7)) text += ` $${random.pick(topic.symbols)}`;
      if (random.chance(0.1)) text += ` ${random.pick(topic.links)}`;
      if (random.chance(person.emojiHabit)) text += ` ${random.pick(topic.emoji)}`;
      if (random.chance(0.22)) text += ` #${random.pick(topic.tags)}`;
      return text;
    });
  }

  reply(to: Pick<SeedUser, 'user'>, topic: Topic): string {
    const random = this.#random;
    return this.#fresh(() => {
      const text = this.#fill(random.pick(random.chance(0.55) ? topic.replies : commonReplies), topic);
      return `@${to.user.screenName} ${text}${random.chance(0.12) ? ` ${random.pick(topic.emoji)}` : ''}`;
    });
  }

  /** Returns an answer that mentions nobody, for a conversation between two users. */
  answer(topic: Topic): string {
    const random = this.#random;
    return this.#fresh(() => this.#fill(random.pick(random.chance(0.55) ? topic.replies : commonReplies), topic));
  }

  /** Returns the text of a follow-up tweet in a thread by the same author. */
  continuation(topic: Topic): string {
    const random = this.#random;
    return this.#fresh(() => {
      const said = this.#fill(random.pick(topic.texts), topic);
      return `${random.pick(leads)} ${said}`;
    });
  }

  quote(topic: Topic): string {
    const random = this.#random;
    return this.#fresh(() => {
      let text = this.#fill(random.pick(random.chance(0.4) ? topic.replies : commonQuotes), topic);
      if (random.chance(0.3)) text += ` ${random.pick(remarks)}`;
      return random.chance(0.3) ? `${text} #${random.pick(topic.tags)}` : text;
    });
  }

  /** Returns a text that mentions a user and is not a reply. */
  mention(of: Pick<SeedUser, 'user'>, topic: Topic): string {
    const random = this.#random;
    return this.#fresh(() => {
      const said = this.#fill(random.pick(topic.texts), topic);
      const name = of.user.screenName;
      return random.chance(0.5) ? `@${name} ${said}` : `${said} With @${name}.`;
    });
  }

  #fill(template: string, topic: Topic): string {
    let text = '';
    for (const piece of this.#partsOf(template)) {
      let part = piece.text;
      if (piece.slot !== '') {
        const choices = topic.slots[piece.slot] ?? commonSlots[piece.slot];
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

  #fresh(write: () => string): string {
    for (let attempt = 0; ; attempt++) {
      let text = write();
      // Few combinations are left, so remarks are appended to get a new text.
      for (let extra = 2; extra < Math.min(attempt, 6); extra++) {
        text += ` ${this.#random.pick(remarks)}`;
      }
      if (this.#said.has(text)) continue;
      this.#said.add(text);
      return text;
    }
  }
}
