import { type FieldNode, type GraphQLField, getNamedType, getNullableType, isListType, isScalarType } from 'graphql';
import { costOf } from './cost.ts';

/** The size of a typical value in bytes, by scalar type. A field can declare another size (`FieldCost.bytes`). */
const bytesOfScalar: Readonly<Record<string, number>> = {
  Boolean: 5,
  Int: 8,
  Float: 12,
  ID: 40,
  DateTime: 26,
  Credits: 12,
  String: 60,
};
const bytesOfEnum = 12;
/**
 * The number of items that is assumed for a list of unknown length. The actual items are counted when the list is resolved
 * (`ResponseBudget.count`).
 */
export const assumedItems = 4;
/** The estimated size in bytes of one entry of `errors`. */
export const bytesOfError = 400;

/** The bytes of JSON syntax: quotation marks, colon and comma of a field, and the braces of an object. */
export const bytesOfSyntax = { field: 4, object: 2 };

export function bytesOfKey({ alias, name }: FieldNode): number {
  return (alias ?? name).value.length + bytesOfSyntax.field;
}

export function isList({ type }: Pick<GraphQLField<unknown, unknown>, 'type'>): boolean {
  return isListType(getNullableType(type));
}

/** Returns the typical size in bytes of a scalar or enum value. */
export function bytesOfLeaf(field: GraphQLField<unknown, unknown>): number {
  const type = getNamedType(field.type);
  return costOf(field)?.bytes ?? (isScalarType(type) ? (bytesOfScalar[type.name] ?? 60) : bytesOfEnum);
}
