import { type Content, sealContent, sealKeyChange, signDelete } from '../../messaging/encryption/index.ts';
import type { Conversation, ConversationEvent, Sealed } from '../chat/conversation.ts';
import { peersOf, type SeedChatClients, sealedOf, seededBytes } from '../chat/seed-chat-clients.ts';
import type { Dataset } from '../dataset/dataset.ts';
import { snowflake } from '../dataset/snowflake.ts';
import type { User } from '../dataset/types.ts';
import { known } from './known.ts';
import { Phrases } from './phrases.ts';
import type { Prng } from './prng.ts';
import { prng } from './prng.ts';
import type { Topic } from './topic.ts';
import { topics } from './topics.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 30;

export interface GeneratorContext {
  readonly dataset: Dataset;
  readonly seed: string;
  readonly epochMs: number;
  readonly clients: SeedChatClients;
  readonly random: Prng;
  /**
   * The number of events created so far. Used as the low bits of ids, so that events of the same millisecond have
   * different ids.
   */
  eventCount: number;
}

/** Generates the conversation between two users before the epoch, encrypted by their clients. */
export class ConversationGenerator {
  readonly #teller: GeneratorContext;
  readonly #first: User;
  readonly #second: User;
  readonly #conversation: Conversation;

  constructor(teller: GeneratorContext, first: User, second: User) {
    this.#teller = teller;
    this.#first = first;
    this.#second = second;
    this.#conversation = teller.dataset.chats.findOrCreate(first, second);
  }

  /** Adds the messages. A conversation without an answer is a message request. */
  generate(answered: boolean): void {
    const { random, epochMs, seed } = this.#teller;
    const count = answered ? random.int(8, 40) : random.int(1, 2);
    const times = Array.from({ length: count + 1 }, () => epochMs - random.int(60_000, DAYS * DAY_MS));
    const [begin = epochMs, ...said] = times.sort((a, b) => a - b);
    const keyChange = this.#begin(begin);
    const lines = once(() => chatLines(seed, this.#conversation.id, this.#topics(), count));
    const seal = (by: User, turn: number, content: Content): Sealed => {
      const { id } = this.#conversation;
      // Each message has its own random stream, so that messages can be encrypted in any order.
      const chance = seededBytes(seed, `chat ${id} ${turn} ${content.kind}`);
      return sealedOf(sealContent(this.#teller.clients.selfOf(by), id, keyChange().key, content, chance));
    };
    for (const [turn, at] of said.entries()) {
      const line = () => lines()[turn] ?? '';
      const isFirst = !answered || turn === 0 || (turn > 1 && random.chance(0.5));
      const [sender, reader] = isFirst ? [this.#first, this.#second] : [this.#second, this.#first];
      const target = this.#add(sender, at, () =>
        seal(sender, turn, { kind: 'message', text: line(), attachments: [] }),
      );
      const soon = at + random.int(5_000, 50_000);
      const fate = random.next();
      if (!answered) continue;
      if (fate < 0.12) {
        const emoji = fate < 0.06 ? '❤️' : '😂';
        this.#add(reader, soon, () => seal(reader, turn, { kind: 'reactionAdded', targetSequenceId: target, emoji }));
      } else if (fate < 0.16) {
        this.#add(sender, soon, () =>
          seal(sender, turn, { kind: 'edit', targetSequenceId: target, text: `${line()} (Typo mended.)` }),
        );
      } else if (fate < 0.18) {
        const deletes = { targets: [target], forAll: true };
        this.#add(sender, soon, () => this.#deletion(sender, target), deletes);
      }
    }
  }

  /** Adds the first conversation key. Returns a function that gives the key and its event. */
  #begin(at: number) {
    const { seed, clients } = this.#teller;
    const conversation = this.#conversation;
    const made = once(() => {
      const peers = peersOf(conversation.members, (user) => [clients.publicKeysOf(user)]);
      const randomBytes = seededBytes(seed, `chat ${conversation.id}`);
      const sealed = sealKeyChange(clients.selfOf(this.#first), conversation.id, peers, { nowMs: at, randomBytes });
      if (!sealed.ok) throw new Error(`the keys of a seed's conversation do not fit: ${sealed.reason}`);
      return sealed.value;
    });
    conversation.addKeyChange({
      seqId: this.#idAt(at),
      sender: this.#first,
      at,
      sealed: once(() => sealedOf(made().event)),
      get version() {
        return made().key.version;
      },
    });
    return made;
  }

  #deletion(sender: User, target: string): Sealed {
    const { seed, clients } = this.#teller;
    const { id } = this.#conversation;
    const chance = seededBytes(seed, `chat ${id} ${target} deletion`);
    return sealedOf(signDelete(clients.selfOf(sender), id, { sequenceIds: [target], forAll: true }, chance));
  }

  /** Adds an event and returns its sequence id. */
  #add(sender: User, at: number, seal: () => Sealed, deletes?: ConversationEvent['deletes']): string {
    const seqId = this.#idAt(at);
    this.#conversation.addEvent({ seqId, sender, at, sealed: once(seal), ...(deletes && { deletes }) });
    return seqId;
  }

  #idAt(at: number): string {
    const id = snowflake(at, this.#teller.eventCount++);
    this.#teller.dataset.chats.markUsed(id);
    return id;
  }

  #topics() {
    return [this.#first, this.#second].flatMap(
      ({ screenName }) => known.find((traits) => traits.screenName === screenName)?.topics ?? [],
    );
  }
}

/** Returns a function that calls `make` on its first call and caches the result. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const nobody = { friends: [], emojiHabit: 0.1 };

/** Returns the plain texts of a conversation in order. Every run with the same seed gives the same texts. */
function chatLines(seed: string, conversation: string, about: readonly Topic[], count: number): string[] {
  const random = prng(seed, `chat lines ${conversation}`);
  const phrases = new Phrases(random);
  return Array.from({ length: count }, (_, turn) => {
    const topic = random.pick(about.length > 0 && random.chance(0.7) ? about : topics);
    return turn === 0 || random.chance(0.4) ? phrases.post(nobody, topic) : phrases.answer(topic);
  });
}
