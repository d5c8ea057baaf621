import { type Detail, deleteActions } from './detail.ts';
import { fromBase64, MalformedError, toBareBase64 } from './encoding.ts';
import type { Self } from './keys.ts';
import { type OpenedContent, type OpenFailure, opened, refused } from './opened.ts';
import { sign } from './p256.ts';
import type { PeerKeys, Peers } from './peers.ts';
import type { ThriftStruct } from './thrift-struct.ts';
import { stringField, struct } from './thrift-writer.ts';

/**
 * The signature version of the official SDK (0.4.3). Older versions do not cover the kind of the event and the key
 * version, or cover data that a recipient cannot reconstruct. They are refused because the version itself is not
 * signed: if older versions were accepted, the platform could choose the weakest one.
 */
const signatureVersion = 7;

/**
 * Field numbers of `MessageEventSignature` in the SDK's `event.thrift`. The optional public key in this struct is
 * ignored.
 */
export const signatureFields = { signature: 1, publicKeyVersion: 2, signatureVersion: 3 } as const;

/** The ids that a signature covers in addition to the detail of the event. */
export interface SignatureSubject {
  messageId: string;
  senderId: string;
  conversationId: string;
}

/**
 * Returns the signed bytes of an event. `key` is the unencrypted conversation key of a key change. It is signed, but
 * never sent in this form.
 */
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
    stringField(signatureFields.signature, toBareBase64(sign(payload, self.keys.signing.privateKey))),
    stringField(signatureFields.publicKeyVersion, self.publicKeyVersion),
    stringField(signatureFields.signatureVersion, String(signatureVersion)),
  );
}

/** A signature that is not verified yet, with the verified public keys of its signer. */
export interface SignatureClaim {
  signer: PeerKeys;
  signature: Uint8Array;
}

/** Decodes a signature and finds the signer's public keys. Throws `MalformedError`. */
export function readSignature(
  value: ThriftStruct | undefined,
  senderId: string,
  peers: Peers,
): OpenedContent<SignatureClaim> {
  const signature = value?.string(signatureFields.signature);
  const publicKeyVersion = value?.string(signatureFields.publicKeyVersion);
  const version = value?.string(signatureFields.signatureVersion);
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

/**
 * Joins the parts with commas. A part that contains a comma is refused, because two different events could otherwise
 * have the same signed bytes.
 */
function join(...parts: readonly string[]): Buffer {
  if (parts.some((part) => part.includes(','))) throw new MalformedError('a signed part has a comma');
  return Buffer.from(parts.join(','), 'utf8');
}
