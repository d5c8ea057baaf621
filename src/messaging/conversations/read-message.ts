import type { AttachmentView, DirectMessage } from '../../shared/model/direct-message.ts';
import type { PlacedEvent } from '../../shared/model/sealed-event.ts';
import { turn } from '../../shared/runtime/turns.ts';
import { emojiOf } from '../../shared/text/emoji.ts';
import { type Attachment, type ChatEvent, envelopeOf, mayAct, type Opened, SeenMessages } from '../encryption/index.ts';
import type { OpenConversation } from './open-conversation.ts';

type Reaction = DirectMessage['reactions'][number];
type Change = Extract<ChatEvent, { kind: 'edit' | 'reactionAdded' | 'reactionRemoved' | 'delete' }>;

export function isChange(event: ChatEvent): event is Change {
  return event.kind !== 'message' && event.kind !== 'keyChange';
}

/** Collects edits, reactions and deletions, which are read before the messages that they change. */
export class MessageChanges {
  readonly #viewerId: string;
  /** The changes of each message by its sequence id, newest first. */
  readonly #changes = new Map<string, Change[]>();

  constructor(viewerId: string) {
    this.#viewerId = viewerId;
  }

  add(change: Change): void {
    for (const target of change.kind === 'delete' ? change.sequenceIds : [change.targetSequenceId])
      this.#changes.set(target, [...(this.#changes.get(target) ?? []), change]);
  }

  /** Returns the changes that are allowed to change the message, oldest first, without replays. */
  of({ seqId, senderId }: Pick<PlacedEvent, 'seqId' | 'senderId'>): Change[] {
    const seen = new SeenMessages();
    const found = (this.#changes.get(seqId) ?? []).filter((change) => mayAct(change, { senderId }, this.#viewerId));
    return found.reverse().filter((change) => !seen.isReplay(change));
  }

  isDeleted(message: Pick<PlacedEvent, 'seqId' | 'senderId'>): boolean {
    return this.of(message).some(({ kind }) => kind === 'delete');
  }
}

/**
 * Returns a message with its changes. A message that cannot be decrypted has the reason in `undecryptable`, so that one bad
 * message does not fail the page.
 */
export function readMessage(
  event: PlacedEvent,
  opened: Opened<ChatEvent>,
  changes: MessageChanges,
  readerId: string,
): DirectMessage {
  const { senderId } = event;
  const isDeleted = changes.isDeleted(event);
  const base = {
    message_id: envelopeOf(event.encoded)?.messageId ?? '',
    seq_id: event.seqId,
    sender_id: senderId,
    from_me: senderId === readerId,
    text: '',
    createdAt: event.createdAt,
    edited: false,
    deleted: isDeleted,
    reactions: [],
    attachment: null,
    undecryptable: null,
  };
  if (isDeleted) return base;
  // The platform has deleted the content, but nobody who may has signed a deletion.
  if (!opened.ok) return { ...base, deleted: opened.reason === 'deleted', undecryptable: opened.reason };
  if (opened.value.kind !== 'message') return { ...base, undecryptable: 'corrupt' };
  const { text, attachments } = opened.value;
  const [first] = attachments;
  const { edit, reactions } = fold(changes.of(event), readerId);
  return {
    ...base,
    text: edit ?? text,
    edited: edit !== null,
    reactions,
    attachment: first === undefined ? null : attachmentView(first),
  };
}

/** Returns the text of the last edit, and the reactions that were not removed. */
function fold(changes: readonly Change[], readerId: string) {
  const reactions = new Map<string, Reaction>();
  let edit: string | null = null;
  for (const change of changes) {
    if (change.kind === 'edit') edit = change.text;
    if (change.kind !== 'reactionAdded' && change.kind !== 'reactionRemoved') continue;
    const { senderId } = change;
    // Other clients may send an emoji with other variation selectors.
    const emoji = emojiOf(change.emoji) ?? change.emoji;
    const key = `${senderId} ${emoji}`;
    if (change.kind === 'reactionRemoved') reactions.delete(key);
    else reactions.set(key, { emoji, sender_id: senderId, from_me: senderId === readerId });
  }
  return { edit, reactions: [...reactions.values()] };
}

function attachmentView({ mediaHashKey, type, filename, size, width, height }: Attachment): AttachmentView {
  return { media_hash_key: mediaHashKey, type, filename, size, width: width ?? null, height: height ?? null };
}

/** Removes replayed messages: of several messages with the same id, only the oldest one on the page is kept. */
export function withoutReplays(page: readonly DirectMessage[]): DirectMessage[] {
  const seen = new SeenMessages();
  const kept = page
    .toReversed()
    .filter(
      ({ undecryptable, sender_id, message_id }) =>
        undecryptable !== null || !seen.isReplay({ senderId: sender_id, messageId: message_id }),
    );
  return kept.reverse();
}

/** Opens events in their order, each in a turn of the event loop of its own. */
export async function* openAll(conversation: OpenConversation, events: readonly PlacedEvent[]) {
  for (const event of events) {
    await turn();
    yield { event, opened: conversation.open(event) };
  }
}
