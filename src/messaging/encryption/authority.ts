import type { SignedChatEvent } from './event.ts';

/**
 * Whether an opened event may do to a message what it says. That its sender signed it is not enough: edits, and deletions for
 * all, are for a message's own author; a deletion for oneself is for whose view this is. Reactions are anybody's.
 */
export function mayAct(event: SignedChatEvent, target: { senderId: string }, viewerId: string): boolean {
  switch (event.kind) {
    case 'edit':
      return event.senderId === target.senderId;
    case 'delete':
      return event.senderId === (event.forAll ? target.senderId : viewerId);
    case 'reactionAdded':
    case 'reactionRemoved':
      return true;
    case 'message':
    case 'keyChange':
      return false;
  }
}
