import { parseSearch, type SearchTree } from '../../shared/text/search-grammar.ts';
import { operatorOf } from './operators.ts';

type Leaf =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hashtag'; readonly tag: string }
  | { readonly kind: 'cashtag'; readonly symbol: string }
  | { readonly kind: 'mention'; readonly name: string }
  | { readonly kind: 'operator'; readonly name: string; readonly value: string };
export type Query = SearchTree<Leaf>;

export class UnknownOperator extends Error {
  readonly operator: string;
  constructor(operator: string) {
    super(`Unknown search operator: ${operator}`);
    this.operator = operator;
  }
}

export class BadQuery extends Error {}

/** Parses a search query. Only unknown operators and invalid operator values are refused. */
export function parseQuery(source: string): Query | undefined {
  return parseSearch(source, { wordOf, phraseOf: (text): Leaf => ({ kind: 'text', text }) });
}

function wordOf(word: string): Leaf {
  const operator = /^([a-z][a-z_]*):(?!\/\/)(.*)$/i.exec(word);
  if (operator !== null) return operation(operator[1]?.toLowerCase() ?? '', (operator[2] ?? '').replaceAll('"', ''));
  if (/^[#＃]./u.test(word)) return { kind: 'hashtag', tag: word.slice(1).toLowerCase() };
  if (/^\$[a-z]/i.test(word)) return { kind: 'cashtag', symbol: word.slice(1).toLowerCase() };
  if (/^[@＠]\w/u.test(word)) return { kind: 'mention', name: word.slice(1).toLowerCase() };
  return { kind: 'text', text: word };
}

function operation(name: string, value: string): Leaf {
  const operator = operatorOf(name, value);
  // A colon at the end of a word, as in `Note:`, is punctuation and not an operator.
  if (operator === undefined && value === '') return { kind: 'text', text: name };
  if (operator === undefined) {
    throw new UnknownOperator(['has', 'is'].includes(name) ? `${name}:${value}` : name);
  }
  if (!operator.takes.test(value)) throw new BadQuery(`${name}: needs ${operator.needs}`);
  return { kind: 'operator', name, value };
}

/** Returns true if X refuses the query, because it has only parts that restrict others. */
export function onlyRestricts(query: Query): boolean {
  switch (query.kind) {
    case 'operator':
      return operatorOf(query.name, query.value)?.restricts === true;
    case 'not':
      return true;
    case 'and':
      return query.parts.every(onlyRestricts);
    case 'or':
      return query.parts.some(onlyRestricts);
    default:
      return false;
  }
}
