import type { SealedKeyChange, SealedMessage, SignedAction, SignedDeletion } from '../../platform/messages-port.ts';
import { createEventOf, deletionIn, keyChangeIn, type SignedEvent, signaturePartsOf } from '../encryption/index.ts';

/* Signed events in the forms that the platform takes. */

export function messageForm({ messageId, conversationId, detail, signature }: SignedEvent): SealedMessage {
  return { messageId, conversationId, createEvent: createEventOf(detail), signature };
}

export function keyChangeForm(event: SignedEvent): SealedKeyChange {
  const { keyVersion, copies } = keyChangeIn(event.detail);
  return {
    ...actionForm(event),
    version: keyVersion,
    copies: copies.map(({ wrapped, ...copy }) => ({ ...copy, encryptedKey: Buffer.from(wrapped).toString('base64') })),
  };
}

export function deletionForm(event: SignedEvent): SignedDeletion {
  return { ...actionForm(event), ...deletionIn(event.detail) };
}

function actionForm({ messageId, conversationId, detail, signature }: SignedEvent): SignedAction {
  return { messageId, conversationId, detail, ...signaturePartsOf(signature) };
}
