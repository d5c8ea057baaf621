import { type FieldNode, type GraphQLField, getNamedType, getNullableType, isListType, isScalarType } from 'graphql';
import { costOf } from './cost.ts';

/** Typical bytes of a value, unless its field declares others (`FieldCost.bytes`). */
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
/** Items assumed for a list of unknown length. Its real items are counted when it is resolved (`ResponseBudget.count`). */
export const assumedItems = 4;
/** An entry of `errors`. */
export const bytesOfError = 400;

/** Quotation marks, colon and comma; the braces of an object. */
export const bytesOfSyntax = { field: 4, object: 2 };

export function bytesOfKey({ alias, name }: FieldNode): number {
  return (alias ?? name).value.length + bytesOfSyntax.field;
}

export function isList({ type }: Pick<GraphQLField<unknown, unknown>, 'type'>): boolean {
  return isListType(getNullableType(type));
}

/** Typical bytes of the value of a scalar or enum field. */
export function bytesOfLeaf(field: GraphQLField<unknown, unknown>): number {
  const type = getNamedType(field.type);
  return costOf(field)?.bytes ?? (isScalarType(type) ? (bytesOfScalar[type.name] ?? 60) : bytesOfEnum);
}
