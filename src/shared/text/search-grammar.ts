/** A query: leaves, negated parts and groups. */
export type SearchTree<Leaf> =
  | Leaf
  | { readonly kind: 'not'; readonly part: SearchTree<Leaf> }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly SearchTree<Leaf>[] };

type Token<Leaf> =
  | { readonly kind: 'open' | 'close' | 'or'; readonly negated: boolean }
  | { readonly kind: 'part'; readonly part: Leaf; readonly negated: boolean };

/** Returns the leaf of a word or an operator, and that of a "phrase". */
interface Leaves<Leaf> {
  wordOf: (word: string) => Leaf;
  phraseOf: (phrase: string) => Leaf;
}

/**
 * Parses a search query: words, "phrases" and operators. A space means AND, `OR` has lower precedence, `-` negates, and
 * parentheses group. Syntax errors such as an unmatched quote or parenthesis are ignored.
 */
export function parseSearch<Leaf>(source: string, leaves: Leaves<Leaf>): SearchTree<Leaf> | undefined {
  type Tree = SearchTree<Leaf>;
  const tokens = tokenise(source, leaves);
  let next = 0;

  const parseOr = (): Tree | undefined => {
    const parts: Tree[] = [];
    for (;;) {
      const part = parseAnd();
      if (part !== undefined) parts.push(part);
      if (tokens[next]?.kind !== 'or') return parts.length > 1 ? { kind: 'or', parts } : parts[0];
      next += 1;
    }
  };
  const parseAnd = (): Tree | undefined => {
    const parts: Tree[] = [];
    for (;;) {
      const token = tokens[next];
      if (token === undefined || token.kind === 'or' || token.kind === 'close')
        return parts.length > 1 ? { kind: 'and', parts } : parts[0];
      next += 1;
      const part = token.kind === 'part' ? token.part : parseGroup();
      if (part !== undefined) parts.push(token.negated ? { kind: 'not', part } : part);
    }
  };
  const parseGroup = (): Tree | undefined => {
    const part = parseOr();
    if (tokens[next]?.kind === 'close') next += 1;
    return part;
  };

  const found: Tree[] = [];
  while (next < tokens.length) {
    const part = parseOr();
    if (part !== undefined) found.push(part);
    // The loop stopped at a closing parenthesis without an opening one, which is skipped.
    next += 1;
  }
  return found.length > 1 ? { kind: 'and', parts: found } : found[0];
}

function tokenise<Leaf>(source: string, { wordOf, phraseOf }: Leaves<Leaf>): Token<Leaf>[] {
  const pattern = /\s*(?:(-?)(?:"([^"]*)"?|(\()|((?:[^\s()"]|(?<=:)"[^"]*"?)+))|(\)))/gy;
  const text = source.trim().replace(/[“”]/g, '"');
  const tokens: Token<Leaf>[] = [];
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) break;
    const [, minus, phrase, open, word, close] = match;
    const negated = minus === '-';
    if (close !== undefined) tokens.push({ kind: 'close', negated: false });
    else if (open !== undefined) tokens.push({ kind: 'open', negated });
    else if (phrase !== undefined) {
      if (phrase.trim() !== '') tokens.push({ kind: 'part', part: phraseOf(phrase), negated });
    } else if (word === 'OR' && !negated) tokens.push({ kind: 'or', negated: false });
    else if (word !== undefined && word !== '-') tokens.push({ kind: 'part', part: wordOf(word), negated });
  }
  return tokens;
}
