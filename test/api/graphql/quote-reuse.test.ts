import { getOperationAST, getVariableValues, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { documentLimits } from '../../../src/api/graphql/document/check-document.ts';
import { type CheckCall, type Quote, quote } from '../../../src/api/graphql/document/quote.ts';
import { fragmentsOf } from '../../../src/api/graphql/document/selection.ts';
import { schema } from '../../../src/api/graphql/schema/schema.ts';
import { PosternError } from '../../../src/shared/errors/postern-error.ts';

const check: CheckCall = (_action, input) => {
  if (Object.values(input).includes('refused')) throw new PosternError('malformed_field', 'Malformed field');
};

/** Returns a function that quotes requests of one document one after the other, so that each may reuse earlier quotes. */
function quotes(text: string): (variables?: Record<string, unknown>) => Quote | string {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  return (variables = {}) => {
    const { coerced = {} } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
    const scope = { schema, fragments: fragmentsOf(document), variables: coerced };
    try {
      return quote({ scope, operation, limits: documentLimits, check });
    } catch (error) {
      return (error as Error).message;
    }
  };
}

const documents: Record<string, { text: string; variables: Record<string, unknown>[] }> = {
  'a refused input': {
    text: 'query ($n: String) { user(userName: $n) { userName tweets(first: 50) { nodes { text } } } }',
    variables: [{ n: 'grace' }, { n: 'refused' }, { n: 'ada' }, {}, { n: 'refused' }],
  },
  'the length of a list': {
    text: 'query ($n: Int) { user(userName: "grace") { tweets(first: $n) { nodes { text author { name } } } } }',
    variables: [{ n: 1 }, { n: 100 }, { n: 5 }, {}],
  },
  'a directive on a field': {
    text: 'query ($on: Boolean!) { user(userName: "grace") { name tweets @include(if: $on) { nodes { text } } } }',
    variables: [{ on: false }, { on: true }, { on: false }],
  },
  'a directive on a fragment': {
    text: `query ($off: Boolean!) { user(userName: "grace") { ...T @skip(if: $off) ... @skip(if: $off) { followers { nodes { name } } } } }
      fragment T on User { tweets { nodes { text } } }`,
    variables: [{ off: true }, { off: false }, { off: true }],
  },
  'named objects': {
    text: 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on User { tweets { nodes { text } } } } }',
    variables: [{ ids: [] }, { ids: [btoa('User:1'), btoa('User:2')] }, { ids: ['x'] }],
  },
  introspection: {
    text: `query ($n: String!) { ${Array.from({ length: 90 }, (_, i) => `a${i}: __type(name: $n) { fields { args { type { name } } type { fields { name } } } }`).join(' ')} }`,
    variables: [{ n: 'PageInfo' }, { n: 'Mutation' }, { n: 'PageInfo' }],
  },
};

describe('the quote of a document that is sent again', () => {
  for (const [name, { text, variables }] of Object.entries(documents)) {
    test(`depends on ${name}`, () => {
      const again = quotes(text);
      const found = variables.map((each) => again(each));
      // Another parse of the document has other node objects, so nothing is reused.
      const fresh = variables.map((each) => quotes(text)(each));
      const shown = (each: Quote | string) =>
        typeof each === 'string' ? each : { ...each, itemBytes: [...each.itemBytes.values()] };
      expect(found.map(shown)).toEqual(fresh.map(shown));
      expect(new Set(found.map((each) => JSON.stringify(shown(each)))).size).toBeGreaterThan(1);
    });
  }

  test('is not worked out again if only accepted inputs differ', () => {
    const again = quotes('query ($n: String) { user(userName: $n) { userName } }');
    expect(again({ n: 'ada' })).toBe(again({ n: 'grace' }));
  });
});
