import type { SignedChatEvent } from './event.ts';

/**
 * Returns true if an event is allowed to change a message. A valid signature is not enough: only the author may edit a
 * message or delete it for all. A deletion for oneself applies only to the signer's own view. Anybody in the
 * conversation may react.
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
