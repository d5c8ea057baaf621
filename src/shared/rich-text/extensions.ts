import type { MarkdownIt, Token } from 'markdown-it';

/** A construct of a Markdown extension that rich text cannot represent. */
export type ConstructName =
  | 'alerts'
  | 'definition lists'
  | 'footnotes'
  | 'front matter'
  | 'math blocks'
  | 'strikethrough'
  | 'tables';

export interface FoundConstruct {
  readonly name: ConstructName;
  /** The line number in the source, beginning with 1. */
  readonly line: number;
}

/** Thrown if Markdown has constructs that rich text cannot represent. */
export class UnsupportedMarkdownError extends Error {
  override readonly name = 'UnsupportedMarkdownError';
  /** Each construct once, at its first occurrence, in the order of the source. */
  readonly constructs: readonly FoundConstruct[];

  constructor(constructs: readonly FoundConstruct[]) {
    super(constructs.map(({ name, line }) => `${name} (line ${line})`).join(', '));
    this.constructs = constructs;
  }
}

/** Types of empty tokens that mark a position in a paragraph. `meta.offset` is the offset from the start of the paragraph's source. */
const tildes = 'tildes';
const definition = 'definition';

const footnoteDefinition = /\[\^[^\]\s]+\]:/y;
const definitionLine = /\n[ \t]*:[ \t]+\S/y;
/** Matches alerts of GitHub (`> [!NOTE]`) and callouts of Obsidian (`> [!faq] Title`), but not links. */
const alert = /^\[![a-z][\w-]*\](?![([])/i;

/** Adds rules to a parser that mark the constructs that `unsupportedIn` looks for. */
export function recogniseExtensions(parser: MarkdownIt): void {
  parser.enable(['table', 'strikethrough']);
  // A definition of one word is also a CommonMark link reference, which the parser would drop.
  parser.block.ruler.before(
    'reference',
    'footnote_definition',
    (state, line, _end, silent) => {
      if ((state.sCount[line] ?? 0) - state.blkIndent >= 4) return false;
      footnoteDefinition.lastIndex = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
      if (!footnoteDefinition.test(state.src)) return false;
      if (silent) return true;
      state.push('footnote_definition', '', 0).map = [line, line + 1];
      state.line = line + 1;
      return true;
    },
    { alt: ['paragraph', 'reference'] },
  );
  // Code spans and links have already consumed their own newlines and tildes before this rule runs.
  parser.inline.ruler.before('newline', 'marker', (state, silent) => {
    if (silent) return false;
    const { src, pos } = state;
    definitionLine.lastIndex = pos;
    if (src.startsWith('~~', pos)) state.push(tildes, '', 0).meta = { offset: pos };
    else if (definitionLine.test(src) && !state.pending.endsWith('  '))
      state.push(definition, '', 0).meta = { offset: pos + 1 };
    return false;
  });
}

/** Returns the unsupported constructs of a parsed text, each once, in the order of the source. */
export function unsupportedIn(source: string, tokens: readonly Token[]): FoundConstruct[] {
  const lines = new Map<ConstructName, number>();
  const found = (name: ConstructName, { map, content }: Token, offset = 0) => {
    if (!lines.has(name)) lines.set(name, (map?.[0] ?? 0) + content.slice(0, offset).split('\n').length);
  };
  if (hasFrontMatter(source)) lines.set('front matter', 1);
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'table_open') found('tables', token);
    else if (token.type === 'footnote_definition') found('footnotes', token);
    else if (token.type === 'inline') {
      if (tokens[index - 2]?.type === 'blockquote_open' && alert.test(token.content)) found('alerts', token);
      const math = mathOffset(token.content);
      if (math >= 0) found('math blocks', token, math);
      let offset = 0;
      for (const { type, meta } of token.children ?? []) {
        if (type === tildes) offset = Number(meta?.['offset']);
        else if (type === definition) found('definition lists', token, Number(meta?.['offset']));
        else if (type === 's_open') found('strikethrough', token, offset);
      }
    }
  }
  return [...lines].map(([name, line]) => ({ name, line })).sort((a, b) => a.line - b.line);
}

/**
 * A thematic break may also be at the start of a text. Front matter is therefore recognised only if the next line is a field and the
 * closing fence exists.
 */
function hasFrontMatter(source: string): boolean {
  const [, fence] = /^(---|\+\+\+)[ \t]*(?:\r\n?|\n)/.exec(source) ?? [];
  if (fence === undefined) return false;
  const [, first = '', ...rest] = source.split(/\r\n?|\n/).map((line) => line.trimEnd());
  if (fence === '+++') return /^(?:\[|[\w.-]+\s*=)/.test(first) && rest.includes(fence);
  return /^[a-z_][\w.-]*:(?:\s|$)/i.test(first) && (rest.includes(fence) || rest.includes('...'));
}

/** Returns the offset of the first of two lines that consist of `$$`. Returns -1 if there are no such lines. */
function mathOffset(text: string): number {
  const [first, second] = text.matchAll(/(?<![^\n])[ \t]*\$\$[ \t]*(?![^\n])/g);
  return second === undefined ? -1 : (first?.index ?? -1);
}
