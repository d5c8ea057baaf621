import { decodeDetail, type KeyCopy } from './detail.ts';
import { fromBase64, MalformedError, toBase64 } from './encoding.ts';
import { signatureFields } from './signature.ts';
import { readStruct } from './thrift-reader.ts';
import { stringField, struct, structField } from './thrift-writer.ts';

/** Field 1 of `MessageEventDetail` is a `MessageCreateEvent`. X's API takes it without the union around it. */
const messageCreate = 1;
/** The type and the id of a field (Thrift binary protocol). */
const headLength = 3;

/** Returns the `MessageCreateEvent` in the detail of a message, an edit or a reaction. */
export function createEventOf(detail: string): string {
  return toBase64(fromBase64(detail).subarray(headLength, -1));
}

/** Returns the detail around a `MessageCreateEvent`. Its bytes are kept, because others may have signed more than we read. */
export function detailOfCreateEvent(createEvent: string): string {
  return toBase64(struct(structField(messageCreate, fromBase64(createEvent))));
}

/** The parts of a signature, which X's API takes one by one for actions. */
export interface SignatureParts {
  signature: string;
  publicKeyVersion: string;
  signatureVersion: string;
}

export function signaturePartsOf(signature: string): SignatureParts {
  const read = readStruct(fromBase64(signature));
  return {
    signature: read.string(signatureFields.signature) ?? '',
    publicKeyVersion: read.string(signatureFields.publicKeyVersion) ?? '',
    signatureVersion: read.string(signatureFields.signatureVersion) ?? '',
  };
}

export function signatureOf({ signature, publicKeyVersion, signatureVersion }: SignatureParts): string {
  return toBase64(
    struct(
      stringField(signatureFields.signature, signature),
      stringField(signatureFields.publicKeyVersion, publicKeyVersion),
      stringField(signatureFields.signatureVersion, signatureVersion),
    ),
  );
}

/** Returns the version of a key change and the key as it is encrypted for each participant. Throws `MalformedError`. */
export function keyChangeIn(detail: string): { keyVersion: string; copies: readonly KeyCopy[] } {
  const read = decodeDetail(readStruct(fromBase64(detail)));
  if (read?.kind !== 'keyChange') throw new MalformedError('not a key change');
  return read;
}

/** Returns the messages that a deletion names, and for whom it deletes them. Throws `MalformedError`. */
export function deletionIn(detail: string): { sequenceIds: readonly string[]; forAll: boolean } {
  const read = decodeDetail(readStruct(fromBase64(detail)));
  if (read?.kind !== 'delete') throw new MalformedError('not a deletion');
  return read;
}
