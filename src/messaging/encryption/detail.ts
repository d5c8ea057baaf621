import { fromBase64, Malformed } from './encoding.ts';
import type { ThriftStruct } from './thrift-struct.ts';
import {
  binaryField,
  i32Field,
  stringField,
  stringsField,
  struct,
  structField,
  structsField,
} from './thrift-writer.ts';

/** What an event is about, as the platform relays it: `MessageEventDetail`. Contents and keys are sealed in it. */
export type Detail =
  | { kind: 'content'; keyVersion: string; sealed: Uint8Array }
  | { kind: 'delete'; sequenceIds: readonly string[]; forAll: boolean }
  | { kind: 'keyChange'; keyVersion: string; copies: readonly KeyCopy[] };

/** A conversation key wrapped to one participant. */
export interface KeyCopy {
  userId: string;
  publicKeyVersion: string;
  wrapped: Uint8Array;
}

/**
 * Field numbers of the official SDK's `event.thrift` (0.4.3). Its hints to the platform (whether to notify, and the like) are
 * left out: nobody signs them, and without them every bit that a sender sends is one that its reader can hold it to.
 */
const detail = { messageCreate: 1, keyChange: 3, messageDelete: 7 } as const;
const messageCreate = { contents: 100, keyVersion: 101 } as const;
const keyChange = { keyVersion: 1, copies: 2 } as const;
const keyCopy = { userId: 1, wrapped: 2, publicKeyVersion: 3 } as const;
const messageDelete = { sequenceIds: 1, action: 2 } as const;
export const deleteActions = { forSelf: 1, forAll: 2 } as const;

/** Decimal, one spelling, 64 bits at most: versions are compared, and signed as text. */
const keyVersionForm = /^(0|[1-9]\d{0,19})$/;

export function encodeDetail(value: Detail): Buffer {
  switch (value.kind) {
    case 'content':
      return struct(
        structField(
          detail.messageCreate,
          struct(
            binaryField(messageCreate.contents, value.sealed),
            stringField(messageCreate.keyVersion, value.keyVersion),
          ),
        ),
      );
    case 'delete': {
      const action = value.forAll ? deleteActions.forAll : deleteActions.forSelf;
      const fields = [
        stringsField(messageDelete.sequenceIds, value.sequenceIds),
        i32Field(messageDelete.action, action),
      ];
      return struct(structField(detail.messageDelete, struct(...fields)));
    }
    case 'keyChange':
      return struct(
        structField(
          detail.keyChange,
          struct(
            stringField(keyChange.keyVersion, value.keyVersion),
            structsField(keyChange.copies, value.copies.map(encodeCopy)),
          ),
        ),
      );
  }
}

/** Undefined for kinds that one-to-one conversations here do not have. Throws `Malformed`. */
export function decodeDetail(union: ThriftStruct): Detail | undefined {
  const { variant } = union;
  const value = union.struct(variant);
  if (value === undefined) throw new Malformed('it is about nothing');
  switch (variant) {
    case detail.messageCreate: {
      const sealed = value.binary(messageCreate.contents);
      if (sealed === undefined) throw new Malformed('it has no contents');
      return { kind: 'content', keyVersion: keyVersionOf(value, messageCreate.keyVersion), sealed };
    }
    case detail.messageDelete:
      return {
        kind: 'delete',
        sequenceIds: value.strings(messageDelete.sequenceIds),
        forAll: isForAll(value.i32(messageDelete.action)),
      };
    case detail.keyChange: {
      const copies = value.structs(keyChange.copies).map(decodeCopy);
      return { kind: 'keyChange', keyVersion: keyVersionOf(value, keyChange.keyVersion), copies };
    }
    default:
      return undefined;
  }
}

function keyVersionOf(value: ThriftStruct, id: number): string {
  const version = value.string(id);
  if (version === undefined || !keyVersionForm.test(version)) throw new Malformed('it names no key version');
  return version;
}

function isForAll(action: number | undefined): boolean {
  if (action !== deleteActions.forSelf && action !== deleteActions.forAll) throw new Malformed('no such deletion');
  return action === deleteActions.forAll;
}

function encodeCopy({ userId, wrapped, publicKeyVersion }: KeyCopy): Buffer {
  return struct(
    stringField(keyCopy.userId, userId),
    // A string of base64 inside of the struct, not its bytes.
    stringField(keyCopy.wrapped, Buffer.from(wrapped).toString('base64')),
    stringField(keyCopy.publicKeyVersion, publicKeyVersion),
  );
}

function decodeCopy(value: ThriftStruct): KeyCopy {
  const userId = value.string(keyCopy.userId);
  const wrapped = value.string(keyCopy.wrapped);
  const publicKeyVersion = value.string(keyCopy.publicKeyVersion);
  if (userId === undefined || wrapped === undefined || publicKeyVersion === undefined) {
    throw new Malformed('a key copy is incomplete');
  }
  return { userId, publicKeyVersion, wrapped: fromBase64(wrapped) };
}
