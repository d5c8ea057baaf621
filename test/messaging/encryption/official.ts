import { readFileSync } from 'node:fs';
import { Chat, initSync } from '../../../node_modules/@xdevplatform/chat-xdk/pkg/chat_xdk_wasm.js';
import {
  exportChatKeys,
  type RegisteredKeys,
  type Self,
  type SignedEvent,
} from '../../../src/messaging/encryption/index.ts';
import { binaryField, stringField, struct, structField } from '../../../src/messaging/encryption/thrift-writer.ts';

// The package does not export key import, because browsers must not have it, so the engine below is used.
initSync({
  module: readFileSync(
    new URL('../../../node_modules/@xdevplatform/chat-xdk/pkg/chat_xdk_wasm_bg.wasm', import.meta.url),
  ),
});

/** Creates the official SDK with the keys of `self`. */
export function official(self: Self): Chat {
  const chat = new Chat();
  chat.importKeys(exportChatKeys(self.keys), self.publicKeyVersion);
  chat.setIdentity(self.userId, self.publicKeyVersion);
  return chat;
}

/** Returns the signing keys in the form that the SDK expects. */
export function signingKeys(people: readonly RegisteredKeys[]) {
  return people.map((one) => ({
    userId: one.userId,
    publicKeyVersion: one.publicKeyVersion,
    publicKey: one.signingPublicKey,
    identityPublicKey: one.publicKey,
    identityPublicKeySignature: one.identityPublicKeySignature,
  }));
}

interface OfficialMessage {
  messageId: string;
  encryptedContent: string;
  encodedEventSignature: string;
}

interface OfficialAction {
  messageId: string;
  encodedMessageEventDetail: string;
  signature: string;
  signatureVersion: string;
  publicKeyVersion: string;
}

/** Converts the SDK's payload to the form of the platform, which wraps the struct of a message into a union. */
export function signedMessage(message: OfficialMessage, senderId: string, conversationId: string): SignedEvent {
  const detail = struct(structField(1, Buffer.from(message.encryptedContent, 'base64')));
  return {
    messageId: message.messageId,
    senderId,
    conversationId,
    detail: detail.toString('base64'),
    signature: message.encodedEventSignature,
  };
}

export function signedAction(action: OfficialAction, senderId: string, conversationId: string): SignedEvent {
  const signature = struct(
    stringField(1, action.signature),
    stringField(2, action.publicKeyVersion),
    binaryField(3, Buffer.from(action.signatureVersion)),
  );
  return {
    messageId: action.messageId,
    senderId,
    conversationId,
    detail: action.encodedMessageEventDetail,
    signature: signature.toString('base64'),
  };
}
