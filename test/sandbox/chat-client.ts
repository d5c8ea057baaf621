import { randomBytes } from 'node:crypto';
import {
  type ChatEvent,
  type Content,
  ConversationKeys,
  conversationIdOf,
  createEventOf,
  deletionIn,
  envelopeOf,
  importChatKeys,
  keyChangeIn,
  type OpenedEvent,
  openEvent,
  Peers,
  type Reader,
  type SignedEvent,
  sealContent,
  sealKeyChange,
  signaturePartsOf,
  signDelete,
} from '../../src/messaging/encryption/index.ts';
import { chatPrivateKeysFor } from '../../src/sandbox/seed/credentials.ts';
import { type Account, bearer, type Json, type Reply, request } from './harness.ts';

/** A chat client of a user whose keys derive from the seed, over X's API. */
export class ChatClient {
  readonly account: Account;
  readonly #url: string;
  readonly #label: string;

  /** `label` names the keys: the user name for demo accounts, `minted:<n>` for others. */
  constructor(url: string, account: Account, label = account.userName) {
    this.#url = url;
    this.account = account;
    this.#label = label;
  }

  call(path: string, body?: object, headers: Record<string, string> = {}): Promise<Reply> {
    const options = { headers: { ...bearer(this.account), ...headers }, unchecked: true };
    return request(this.#url, body ? 'POST' : 'GET', `/2/${path}`, body ? { ...options, body } : options);
  }

  async publicKeys(ids: string): Promise<Json[]> {
    return (await this.call(`users/public_keys?ids=${ids}`)).body.data ?? [];
  }

  /** Starts a conversation or replaces its key. The version is the time. */
  async begin(other: Account, nowMs = Date.now()): Promise<Reply> {
    const { self, peers, conversationId } = await this.reader(other);
    const made = sealKeyChange(self, conversationId, peers, { nowMs, randomBytes });
    if (!made.ok) throw new Error(made.reason);
    return this.postKey(other, made.value.event);
  }

  postKey(other: Account, event: SignedEvent): Promise<Reply> {
    const { keyVersion, copies } = keyChangeIn(event.detail);
    return this.call(`chat/conversations/${other.userId}/keys`, {
      conversation_key_version: keyVersion,
      conversation_participant_keys: copies.map(({ userId, publicKeyVersion, wrapped }) => ({
        user_id: userId,
        public_key_version: publicKeyVersion,
        encrypted_conversation_key: Buffer.from(wrapped).toString('base64'),
      })),
      action_signatures: [actionOf(event)],
    });
  }

  async seal(other: Account, content: Content): Promise<SignedEvent> {
    const { self, keys, conversationId } = await this.reader(other);
    if (keys.latest === undefined) throw new Error('no key');
    return sealContent(self, conversationId, keys.latest, content, randomBytes);
  }

  post(other: Account, event: SignedEvent, headers: Record<string, string> = {}): Promise<Reply> {
    const body = {
      message_id: event.messageId,
      encoded_message_create_event: createEventOf(event.detail),
      encoded_message_event_signature: event.signature,
    };
    return this.call(`chat/conversations/${other.userId}/messages`, body, headers);
  }

  async say(other: Account, said: string | Content, headers: Record<string, string> = {}): Promise<Reply> {
    const content = typeof said === 'string' ? ({ kind: 'message', text: said, attachments: [] } as const) : said;
    return this.post(other, await this.seal(other, content), headers);
  }

  async remove(other: Account, seqId: string, forAll: boolean): Promise<Reply> {
    const { self, conversationId } = await this.reader(other);
    const event = signDelete(self, conversationId, { sequenceIds: [seqId], forAll }, randomBytes);
    return this.call(`chat/conversations/${other.userId}/messages/delete`, {
      sequence_ids: deletionIn(event.detail).sequenceIds,
      delete_message_action: forAll ? 'delete_for_all' : 'delete_for_self',
      action_signatures: [actionOf(event)],
    });
  }

  events(other: Account, query = ''): Promise<Reply> {
    return this.call(`chat/conversations/${other.userId}/events${query}`);
  }

  /** Returns the events of a page as this user decrypts them, newest first. */
  async reads(other: Account, query = '?max_results=100'): Promise<OpenedEvent[]> {
    const { body } = await this.events(other, query);
    const reader = await this.reader(other);
    return (body.data ?? []).map(({ encoded_event }: Json) => openEvent(encoded_event, reader));
  }

  async readsTexts(other: Account): Promise<string[]> {
    const isMessage = (value: ChatEvent) => value.kind === 'message';
    return (await this.reads(other)).flatMap((each) =>
      each.ok && isMessage(each.value) && 'text' in each.value ? [each.value.text] : [],
    );
  }

  async reader(other: Account): Promise<Reader> {
    const conversationId = conversationIdOf(this.account.userId, other.userId);
    const registered = (await this.publicKeys(conversationId.replace(':', ','))).map((row) => ({
      userId: row.user_id,
      publicKeyVersion: row.public_key_version,
      publicKey: row.public_key,
      signingPublicKey: row.signing_public_key,
      identityPublicKeySignature: row.identity_public_key_signature,
      signingPublicKeySignature: row.signing_public_key_signature,
    }));
    const keys = importChatKeys(chatPrivateKeysFor('postern', this.#label));
    const own = registered.findLast(({ userId }) => userId === this.account.userId);
    if (keys === undefined || own === undefined) throw new Error('no keys');
    const self = { userId: this.account.userId, publicKeyVersion: own.publicKeyVersion, keys };
    const reader = { self, conversationId, peers: new Peers(registered), keys: new ConversationKeys() };
    const { body } = await this.events(other, '?max_results=1');
    for (const change of body.meta?.conversation_key_events ?? []) {
      const opened = openEvent(change, reader);
      if (opened.ok && opened.value.kind === 'keyChange') reader.keys.adopt(opened.value.key);
    }
    return reader;
  }
}

function actionOf({ messageId, detail, signature }: SignedEvent) {
  const { publicKeyVersion, signatureVersion, ...parts } = signaturePartsOf(signature);
  return {
    message_id: messageId,
    encoded_message_event_detail: detail,
    message_event_signature: { ...parts, public_key_version: publicKeyVersion, signature_version: signatureVersion },
  };
}

/** Returns the sequence id of a sent message. */
export const seqIdOf = ({ body }: Reply): string => envelopeOf(body.data.encoded_message_event)?.sequenceId ?? '';
