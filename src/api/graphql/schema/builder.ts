import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import { GraphQLError } from 'graphql';
import { ReceivedFile } from '../../../media/received-file.ts';
import { costs } from '../document/cost.ts';
import type { Session } from '../execute/session.ts';

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
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    cursorType: 'String',
    // `node` and `nodes` are declared in `node.ts`, because they need a cost.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodesOnConnection: { description: 'The items without their cursors.' },
    idFieldOptions: { description: 'Global id, for `node`. It is opaque.' },
    nodeTypeOptions: { description: 'An object with a global id.' },
    pageInfoTypeOptions: { description: 'The beginning and the end of a page of a list.' },
    hasNextPageFieldOptions: { description: 'True if there may be more items.' },
    hasPreviousPageFieldOptions: {
      description: 'True on every page except the first. Lists can only be read forward.',
    },
    startCursorFieldOptions: { description: 'Cursor of the first item.', ...costs({ bytes: 250 }) },
    endCursorFieldOptions: {
      description: 'Cursor of the last item. It is the `after` of the next page.',
      ...costs({ bytes: 250 }),
    },
    pageInfoFieldOptions: { description: 'The beginning and the end of this page.' },
    edgesFieldOptions: { description: 'The items with their cursors.', nullable: { list: false, items: false } },
    nodeFieldOptions: { description: 'The item.', nullable: false },
    cursorFieldOptions: {
      description: 'Cursor of the item. If it is sent as `after`, the list continues after this item.',
      ...costs({ bytes: 250 }),
    },
    defaultEdgeTypeOptions: { description: 'An item of a list with its cursor.' },
    defaultConnectionTypeOptions: { description: 'A page of a list.' },
  },
});

builder.queryType({ description: 'Reads.' });
builder.mutationType({ description: 'Writes. The fields of one request run in order, one after the other.' });

builder.scalarType('DateTime', {
  description: 'A timestamp in ISO 8601, such as `2026-11-01T00:00:00.000Z`.',
  // Times of tweets are converted here and not in resolvers, because a resolver for each tweet takes much longer.
  serialize: toIsoTime,
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

builder.scalarType('Upload', {
  description:
    'A file that is sent with the request, as defined by the GraphQL multipart request specification ' +
    '(https://github.com/jaydenseric/graphql-multipart-request-spec). It can only be the value of a variable.',
  serialize: () => {
    throw new GraphQLError('Upload is never an output');
  },
  parseValue: (value) => {
    if (value instanceof ReceivedFile) return value;
    throw new GraphQLError('Expected a file: send the request as multipart/form-data');
  },
  parseLiteral: () => {
    throw new GraphQLError('Expected a variable that stands for a file');
  },
});

const months = 'JanFebMarAprMayJunJulAugSepOctNovDec';

/**
 * Converts the `createdAt` of tweets and authors (docs/rest.md, Responses: `Sat Nov 21 09:26:41 +0000 2026`) to ISO 8601. Returns other
 * times unchanged, because they are in ISO 8601 already. Slices the string instead of parsing a date, because slicing is faster and every
 * tweet of a page needs the conversion.
 */
function toIsoTime(time: string): string {
  if (time[3] !== ' ') return time;
  const month = months.indexOf(time.slice(4, 7)) / 3 + 1;
  const year = time.slice(26);
  return `${year}-${month < 10 ? '0' : ''}${month}-${time.slice(8, 10)}T${time.slice(11, 19)}.000Z`;
}
