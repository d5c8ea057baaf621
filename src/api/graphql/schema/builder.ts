import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import ZodPlugin from '@pothos/plugin-zod';
import { GraphQLError } from 'graphql';
import type { ReceivedFile } from '../../../media/received-file.ts';
import { fieldAt, malformedField } from '../../../shared/errors/fields.ts';
import { costs } from '../cost.ts';
import type { Session } from '../session.ts';

export interface SchemaTypes {
  Context: Session;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string };
    Credits: { Input: string; Output: string };
    Upload: { Input: ReceivedFile; Output: never };
  };
}

export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [RelayPlugin, ZodPlugin],
  defaultFieldNullability: false,
  zod: {
    validationError: ({ issues: [issue] }) =>
      malformedField(fieldAt(issue?.path ?? []), issue?.message ?? 'is malformed'),
  },
  relay: {
    cursorType: 'String',
    // Both are fields of our own, which tell what they cost.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodesOnConnection: { description: 'The items alone, without their cursors.' },
    idFieldOptions: { description: 'Global id: opaque, and good for `node`.' },
    nodeTypeOptions: { description: 'What has a global id.' },
    pageInfoTypeOptions: { description: 'Where a page of a list begins and ends.' },
    hasNextPageFieldOptions: { description: 'True where more can follow.' },
    hasPreviousPageFieldOptions: { description: 'True on every page but the first: lists are read forward only.' },
    startCursorFieldOptions: { description: 'Cursor of the first item.', ...costs({ bytes: 250 }) },
    endCursorFieldOptions: {
      description: 'Cursor of the last item: the `after` of the next page.',
      ...costs({ bytes: 250 }),
    },
    pageInfoFieldOptions: { description: 'Where this page begins and ends.' },
    edgesFieldOptions: { description: 'The items, each with its cursor.', nullable: { list: false, items: false } },
    nodeFieldOptions: { description: 'The item.', nullable: false },
    cursorFieldOptions: {
      description: 'What follows this item is read by giving this as `after`.',
      ...costs({ bytes: 250 }),
    },
    defaultEdgeTypeOptions: { description: 'An item of a list, with its cursor.' },
    defaultConnectionTypeOptions: { description: 'A page of a list.' },
  },
});

builder.queryType({ description: 'What can be read.' });
builder.mutationType({ description: 'What can be done. The fields of one request run in order, one after the other.' });

builder.scalarType('DateTime', {
  description: 'A moment as ISO 8601, such as `2026-11-01T00:00:00.000Z`.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value === 'string') return value;
    throw new GraphQLError('Expected a time as ISO 8601, such as 2026-11-01T00:00:00Z');
  },
});

builder.scalarType('Credits', {
  description: 'Dollars, as an exact decimal string: `"0.001"`.',
  serialize: (value) => value,
  parseValue: () => {
    throw new GraphQLError('Expected nothing: it is never an input');
  },
});
