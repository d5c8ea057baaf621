import { fromBase64, MalformedError } from './encoding.ts';
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

/**
 * The signed part of an event that the platform can read (`MessageEventDetail`). Message contents and keys in it are
 * encrypted.
 */
export type Detail =
  | { kind: 'content'; keyVersion: string; sealed: Uint8Array }
  | { kind: 'delete'; sequenceIds: readonly string[]; forAll: boolean }
  | { kind: 'keyChange'; keyVersion: string; copies: readonly KeyCopy[] };

/** A conversation key that is encrypted for one participant. */
export interface KeyCopy {
  userId: string;
  publicKeyVersion: string;
  wrapped: Uint8Array;
}

/**
 * Field numbers of `event.thrift` of the official SDK (0.4.3). The SDK's hints to the platform, for example whether to
 * notify, are left out because they are not signed.
 */
const detail = { messageCreate: 1, keyChange: 3, messageDelete: 7 } as const;
const messageCreate = { contents: 100, keyVersion: 101 } as const;
const keyChange = { keyVersion: 1, copies: 2 } as const;
const keyCopy = { userId: 1, wrapped: 2, publicKeyVersion: 3 } as const;
const messageDelete = { sequenceIds: 1, action: 2 } as const;
export const deleteActions = { forSelf: 1, forAll: 2 } as const;

/**
 * A key version: a decimal number of at most 20 digits without leading zeros. Versions are signed as text, so each
 * number may have only one spelling.
 */
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

/**
 * Decodes the detail of an event. Returns undefined for kinds that one-to-one conversations do not support. Throws
 * `MalformedError`.
 */
export function decodeDetail(union: ThriftStruct): Detail | undefined {
  const { variant } = union;
  const value = union.struct(variant);
  if (value === undefined) throw new MalformedError('it is about nothing');
  switch (variant) {
    case detail.messageCreate: {
      const sealed = value.binary(messageCreate.contents);
      if (sealed === undefined) throw new MalformedError('it has no contents');
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
  if (version === undefined || !keyVersionForm.test(version)) throw new MalformedError('it names no key version');
  return version;
}

function isForAll(action: number | undefined): boolean {
  if (action !== deleteActions.forSelf && action !== deleteActions.forAll) throw new MalformedError('no such deletion');
  return action === deleteActions.forAll;
}

function encodeCopy({ userId, wrapped, publicKeyVersion }: KeyCopy): Buffer {
  return struct(
    stringField(keyCopy.userId, userId),
    // The scheme stores the key as base64 text inside the struct.
    stringField(keyCopy.wrapped, Buffer.from(wrapped).toString('base64')),
    stringField(keyCopy.publicKeyVersion, publicKeyVersion),
  );
}

function decodeCopy(value: ThriftStruct): KeyCopy {
  const userId = value.string(keyCopy.userId);
  const wrapped = value.string(keyCopy.wrapped);
  const publicKeyVersion = value.string(keyCopy.publicKeyVersion);
  if (userId === undefined || wrapped === undefined || publicKeyVersion === undefined) {
    throw new MalformedError('a key copy is incomplete');
  }
  return { userId, publicKeyVersion, wrapped: fromBase64(wrapped) };
}
