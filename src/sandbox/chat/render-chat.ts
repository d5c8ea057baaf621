import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import { isBlocked } from '../dataset/visibility.ts';
import type { Conversation, ConversationEvent, ConversationKeyChange, Message } from './conversation.ts';
import { hasKeys } from './public-keys.ts';

/* JSON forms of conversations, as responses contain them. */

/**
 * Builds the JSON form of a conversation. Messages of the seed are encrypted when they are first shown, so the last
 * message is included only if `withLast` is true.
 */
export function conversationForm(
  dataset: Dataset,
  conversation: Conversation,
  viewer: User,
  last: Message | undefined,
  withLast: boolean,
) {
  return {
    id: conversation.id,
    kind: 'one_to_one',
    request: !conversation.accepted.has(viewer),
    muted: conversation.mutedBy.has(viewer),
    has_more: conversation.messages[0] !== last,
    participants: conversation.members.map((user) => ({
      user: userForm(dataset, user, viewer),
      has_public_key: hasKeys(dataset, user),
    })),
    key_changes: withLast ? conversation.keyChanges.map(keyChangeForm) : [],
    last_message: last === undefined || !withLast ? null : messageForm(last, viewer),
  };
}

function userForm({ origin }: Dataset, user: User, viewer: User) {
  const isWelcome = user.openDms || user.following.has(viewer);
  return {
    id: user.id,
    screen_name: user.screenName,
    name: user.name,
    website: user.website,
    created_at: new Date(user.createdAt).toISOString(),
    verification: { verified: user.verified, premium: user.premium },
    avatar_url: user.avatar && origin + user.avatar,
    viewer: { can_dm: user !== viewer && isWelcome && !isBlocked(viewer, user) },
  };
}

export function keyChangeForm({ seqId, sender, at, version, sealed }: ConversationKeyChange) {
  const { messageId: message_id, detail, signature } = sealed();
  const created_at = new Date(at).toISOString();
  return { seq_id: seqId, message_id, sender_id: sender.id, created_at, version, detail, signature };
}

export function messageForm({ event, relatedEvents, deletedForAll, deletedFor }: Message, viewer: User) {
  const deleted = deletedForAll ? 'all' : deletedFor.has(viewer) ? 'self' : null;
  const shown = deleted === 'self' ? [] : relatedEvents;
  return { ...eventForm(event, deleted === null), deleted, about: shown.map((each) => eventForm(each)) };
}

/** Builds the JSON form of an event. The encrypted content of a deleted message is null. */
export function eventForm(event: ConversationEvent, isThere = true) {
  const { messageId, detail, signature } = event.sealed();
  return {
    kind: event.kind,
    seq_id: event.seqId,
    message_id: messageId,
    sender_id: event.sender.id,
    created_at: new Date(event.at).toISOString(),
    target_seq_id: event.target,
    detail: isThere ? detail : null,
    signature: isThere ? signature : null,
  };
}
