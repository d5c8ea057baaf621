import { operatorOf } from './operators.ts';

export type Query =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hashtag'; readonly tag: string }
  | { readonly kind: 'cashtag'; readonly symbol: string }
  | { readonly kind: 'mention'; readonly name: string }
  | { readonly kind: 'operator'; readonly name: string; readonly value: string }
  | { readonly kind: 'not'; readonly part: Query }
  | { readonly kind: 'and'; readonly parts: readonly Query[] }
  | { readonly kind: 'or'; readonly parts: readonly Query[] };

export class UnknownOperator extends Error {
  readonly operator: string;
  constructor(operator: string) {
    super(`Unknown search operator: ${operator}`);
    this.operator = operator;
  }
}

export class BadQuery extends Error {}

/**
 * Parses a search query: words, "phrases", #hashtags, @names and operators. A space means AND, `OR` has lower
 * precedence, `-` negates, and parentheses group. Syntax errors such as an unmatched quote or parenthesis are ignored.
 * Only unknown operators and invalid operator values are refused.
 */
export function parseQuery(source: string): Query | undefined {
  const tokens = tokenise(source);
  let next = 0;

  const parseOr = (): Query | undefined => {
    const parts: Query[] = [];
    for (;;) {
      const part = parseAnd();
      if (part !== undefined) parts.push(part);
      if (tokens[next]?.kind !== 'or') return parts.length > 1 ? { kind: 'or', parts } : parts[0];
      next++;
    }
  };
  const parseAnd = (): Query | undefined => {
    const parts: Query[] = [];
    for (;;) {
      const token = tokens[next];
      if (token === undefined || token.kind === 'or' || token.kind === 'close') {
        return parts.length > 1 ? { kind: 'and', parts } : parts[0];
      }
      next++;
      const part = token.kind === 'open' ? parseGroup() : token.part;
      if (part !== undefined) parts.push(token.negated ? { kind: 'not', part } : part);
    }
  };
  const parseGroup = (): Query | undefined => {
    const part = parseOr();
    if (tokens[next]?.kind === 'close') next++;
    return part;
  };

  const found: Query[] = [];
  while (next < tokens.length) {
    const part = parseOr();
    if (part !== undefined) found.push(part);
    // The loop stopped at a closing parenthesis without an opening one. Skip it.
    next++;
  }
  return found.length > 1 ? { kind: 'and', parts: found } : found[0];
}

type Token =
  | { readonly kind: 'open'; readonly negated: boolean }
  | { readonly kind: 'close' }
  | { readonly kind: 'or' }
  | { readonly kind: 'part'; readonly part: Query; readonly negated: boolean };

function tokenise(source: string): Token[] {
  const pattern = /\s*(?:(-?)(?:"([^"]*)"?|(\()|((?:[^\s()"]|(?<=:)"[^"]*"?)+))|(\)))/gy;
  const tokens: Token[] = [];
  const text = source.trim().replace(/[“”]/g, '"');
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) break;
    const [, minus, phrase, open, word, close] = match;
    const negated = minus === '-';
    if (close !== undefined) tokens.push({ kind: 'close' });
    else if (open !== undefined) tokens.push({ kind: 'open', negated });
    else if (phrase !== undefined) {
      if (phrase.trim() !== '') tokens.push({ kind: 'part', part: { kind: 'text', text: phrase }, negated });
    } else if (word === 'OR' && !negated) tokens.push({ kind: 'or' });
    else if (word !== undefined && word !== '-') tokens.push({ kind: 'part', part: wordOf(word), negated });
  }
  return tokens;
}

function wordOf(word: string): Query {
  const operator = /^([a-z][a-z_]*):(?!\/\/)(.*)$/i.exec(word);
  if (operator !== null) return operation(operator[1]?.toLowerCase() ?? '', (operator[2] ?? '').replaceAll('"', ''));
  if (/^[#＃]./u.test(word)) return { kind: 'hashtag', tag: word.slice(1).toLowerCase() };
  if (/^\$[a-z]/i.test(word)) return { kind: 'cashtag', symbol: word.slice(1).toLowerCase() };
  if (/^[@＠]\w/u.test(word)) return { kind: 'mention', name: word.slice(1).toLowerCase() };
  return { kind: 'text', text: word };
}

function operation(name: string, value: string): Query {
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
