import type { AttachmentView, DirectMessage } from '../../shared/model/direct-message.ts';
import type { PlacedEvent, PlacedMessage } from '../../shared/model/sealed-event.ts';
import { turn } from '../../shared/runtime/turns.ts';
import { emojiOf } from '../../shared/text/emoji.ts';
import { type Attachment, type ChatEvent, type OpenFailure, SeenMessages } from '../encryption/index.ts';
import type { OpenConversation } from './open-conversation.ts';

type Reaction = DirectMessage['reactions'][number];

/**
 * Decrypts a message. A message that cannot be decrypted has the reason in `undecryptable`, so that one bad message
 * does not fail the page.
 */
export async function readMessage(
  conversation: OpenConversation,
  message: PlacedMessage,
  readerId: string,
): Promise<DirectMessage> {
  const { senderId } = message;
  const base = {
    message_id: message.messageId,
    seq_id: message.seqId,
    sender_id: senderId,
    from_me: senderId === readerId,
    text: '',
    createdAt: message.createdAt,
    edited: false,
    deleted: message.deleted !== null,
    reactions: [],
    attachment: null,
    undecryptable: null,
  };
  if (message.deleted === 'self') return base;
  if (message.deleted === 'all') return { ...base, undecryptable: deletionFailure(conversation, message) };
  const opened = conversation.open(message);
  if (!opened.ok) return { ...base, undecryptable: opened.reason };
  if (opened.value.kind !== 'message') return { ...base, undecryptable: 'corrupt' };
  const { text, attachments } = opened.value;
  const [first] = attachments;
  const { edit, reactions } = await readChanges(conversation, message, readerId);
  return {
    ...base,
    text: edit ?? text,
    edited: edit !== null,
    reactions,
    attachment: first === undefined ? null : attachmentView(first),
  };
}

/**
 * Checks the signature of a deletion. Returns `null` if the sender signed it, and otherwise the reason why it is not
 * valid.
 */
function deletionFailure(conversation: OpenConversation, message: PlacedMessage): OpenFailure | null {
  const deletion = message.about.find(({ kind }) => kind === 'deletion');
  if (deletion === undefined || deletion.senderId !== message.senderId) return 'bad_signature';
  const opened = conversation.open(deletion);
  if (!opened.ok) return opened.reason;
  return opened.value.kind === 'delete' && opened.value.forAll ? null : 'bad_signature';
}

/**
 * Applies the edits and reactions of a message: returns the last edit by the sender, and the reactions that were not
 * removed.
 */
async function readChanges(conversation: OpenConversation, message: PlacedMessage, readerId: string) {
  const seen = new SeenMessages();
  const reactions = new Map<string, Reaction>();
  let edit: string | null = null;
  for (const event of message.about) {
    await turn();
    const said = sayingOf(conversation, event);
    if (said === null || seen.isReplay(said)) continue;
    if (said.kind === 'edit' && said.senderId === message.senderId) edit = said.text;
    if (said.kind !== 'reactionAdded' && said.kind !== 'reactionRemoved') continue;
    const { senderId } = said;
    // Other clients may send an emoji with other variation selectors.
    const emoji = emojiOf(said.emoji) ?? said.emoji;
    const key = `${senderId} ${emoji}`;
    if (said.kind === 'reactionRemoved') reactions.delete(key);
    else reactions.set(key, { emoji, sender_id: senderId, from_me: senderId === readerId });
  }
  return { edit, reactions: [...reactions.values()] };
}

function sayingOf(conversation: OpenConversation, event: PlacedEvent): ChatEvent | null {
  const opened = conversation.open(event);
  return opened.ok ? opened.value : null;
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
