import { type Detail, deleteActions } from './detail.ts';
import { fromBase64, Malformed, toBareBase64 } from './encoding.ts';
import type { Self } from './keys.ts';
import { type OpenedContent, type OpenFailure, opened, refused } from './opened.ts';
import { sign } from './p256.ts';
import type { PeerKeys, Peers } from './peers.ts';
import type { ThriftStruct } from './thrift-struct.ts';
import { stringField, struct } from './thrift-writer.ts';

/**
 * The version that the official SDK (0.4.3) signs under. Older ones left out the event's kind and the key's version, or
 * signed what no recipient can put together; there is no history of those here, so they are refused: the version itself is
 * not signed, and taking several would let whoever relays an event choose the weakest.
 */
const signatureVersion = 7;

/** `MessageEventSignature` of the SDK's `event.thrift`. The public key that it may carry too is never looked at. */
const fields = { signature: 1, publicKeyVersion: 2, signatureVersion: 3 } as const;

/** Whom and what a signature is about, besides the event's own detail. */
export interface SignatureSubject {
  messageId: string;
  senderId: string;
  conversationId: string;
}

/** The bytes that are signed. `key` is the plain conversation key that a key change carries: signed, and never sent. */
export function signedPayload(subject: SignatureSubject, detail: Detail, key?: Uint8Array): Buffer {
  const { messageId, senderId, conversationId } = subject;
  const who = [messageId, senderId, conversationId];
  switch (detail.kind) {
    case 'content':
      return join('MessageCreateEvent', ...who, detail.keyVersion, toBareBase64(detail.sealed));
    case 'keyChange':
      return join('ConversationKeyChangeEvent', ...who, detail.keyVersion, key === undefined ? '' : toBareBase64(key));
    case 'delete': {
      const action = detail.forAll ? deleteActions.forAll : deleteActions.forSelf;
      return join('MessageDeleteEvent', ...who, String(action), ...detail.sequenceIds);
    }
  }
}

export function encodeSignature(self: Self, payload: Uint8Array): Buffer {
  return struct(
    stringField(fields.signature, toBareBase64(sign(payload, self.keys.signing.privateKey))),
    stringField(fields.publicKeyVersion, self.publicKeyVersion),
    stringField(fields.signatureVersion, String(signatureVersion)),
  );
}

/** A signature whose signer's keys are known and bound: what is left is to check it. */
export interface SignatureClaim {
  signer: PeerKeys;
  signature: Uint8Array;
}

/** Finds the keys that the sender says it signed with. Throws `Malformed`. */
export function readSignature(
  value: ThriftStruct | undefined,
  senderId: string,
  peers: Peers,
): OpenedContent<SignatureClaim> {
  const signature = value?.string(fields.signature);
  const publicKeyVersion = value?.string(fields.publicKeyVersion);
  const version = value?.string(fields.signatureVersion);
  if (signature === undefined || publicKeyVersion === undefined) return refused('bad_signature');
  const reason = refusalOf(version);
  if (reason !== undefined) return refused(reason);
  const signer = peers.find(senderId, publicKeyVersion);
  return signer.ok ? opened({ signer: signer.value, signature: fromBase64(signature) }) : signer;
}

function refusalOf(version: string | undefined): OpenFailure | undefined {
  if (version === String(signatureVersion)) return undefined;
  if (version === undefined || !/^(0|[1-9]\d{0,8})$/.test(version)) return 'corrupt';
  return Number(version) > signatureVersion ? 'unsupported' : 'downgrade';
}

/** Nothing is escaped: with a comma in one part, two different events would have the same signed bytes. */
function join(...parts: readonly string[]): Buffer {
  if (parts.some((part) => part.includes(','))) throw new Malformed('a signed part has a comma');
  return Buffer.from(parts.join(','), 'utf8');
}
