import type { Client } from '../../support/client.ts';
import type { PlatformActor } from './parity-platform.ts';

type Input = Record<string, unknown>;

/** The encryption code of accounts that enroll in the test. */
const newCode = '738205';

/** A conversation of the actor with another account, for actions on messages. */
export class ParityConversation {
  readonly id: string;
  readonly #actor: PlatformActor;
  readonly #user: PlatformActor;
  readonly #client: Client;
  /** The number of the message that actions refer to. It does not exist until the message is sent. */
  seqId = '1989000000000000000';

  constructor(client: Client, actor: PlatformActor, user: PlatformActor) {
    this.#client = client;
    this.#actor = actor;
    this.#user = user;
    this.id = conversationBetween(actor, user);
  }

  get code(): string {
    return this.#actor.encryptionCode || newCode;
  }

  /** Sends the messages that an action needs to have an effect. */
  async prepare(name: string): Promise<void> {
    if (!name.startsWith('dm/') || name === 'dm/enroll' || name === 'dm/send') return;
    const sent = await this.#send('/dm/send', { user_id: this.#user.userId, text: 'What the faces are compared by' });
    this.seqId = String(sent['seq_id']);
    if (name === 'dm/unreact')
      await this.#send('/dm/react', { conversation_id: this.id, seq_id: this.seqId, emoji: '❤️' });
  }

  /** Returns the conversation as both participants see it. */
  async state(): Promise<Input> {
    const headers = { 'x-encryption-code': this.code };
    const list = await this.#client.get('/dm/list', {}, headers);
    const read = await this.#client.get('/dm/messages', { conversation_id: this.id }, headers);
    const messages = (read.body.data?.['messages'] ?? []) as Input[];
    return {
      listStatus: list.status,
      messages: messages.map(({ text, edited, deleted, reactions, attachment }) => ({
        text,
        edited,
        deleted,
        reactions: (reactions as Input[]).map(({ emoji }) => emoji),
        attachment: attachment === null ? null : (attachment as Input)['filename'],
      })),
    };
  }

  bare(value: string): string | undefined {
    return { [this.id]: 'conversation', [this.seqId]: 'message' }[value];
  }

  async #send(path: string, body: Input): Promise<Input> {
    const answer = await this.#client.post(path, body, { 'x-encryption-code': this.code });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.body.error}`);
    return answer.body.data;
  }
}

export function conversationBetween(...accounts: readonly [PlatformActor, PlatformActor]): string {
  const ids = accounts.map(({ userId }) => BigInt(userId));
  return ids.sort((a, b) => (a < b ? -1 : 1)).join(':');
}
