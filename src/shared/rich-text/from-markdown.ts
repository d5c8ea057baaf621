import MarkdownIt, { type Token } from 'markdown-it';
import cjkFriendly from 'markdown-it-cjk-friendly';
import { InlineWriter } from './inline-writer.ts';
import {
  type Block,
  type BlockType,
  type Container,
  deepestNesting,
  type Entity,
  headings,
  type RichText,
} from './rich-text.ts';

/** Thrown if quotes and lists are nested too deeply. */
export class TooDeepError extends Error {
  override readonly name = 'TooDeepError';
}

// HTML is parsed as plain text. Beyond `maxNesting` the parser drops text without an error, so nesting is limited to the lower
// `deepestNesting` first.
// CommonMark alone ignores the second `**` of `**日本語。**です`, because no space is beside the punctuation.
const parser = new MarkdownIt('commonmark', { html: false, maxNesting: deepestNesting + 10 }).use(cjkFriendly);
// Links of all schemes are parsed, because the text of links with unsupported schemes must be kept.
parser.validateLink = () => true;

/**
 * Converts Markdown (CommonMark with CJK-friendly emphasis) to rich text. HTML becomes plain text, and so do links with schemes other than
 * http, https and mailto. A soft line break becomes a space. Extensions of CommonMark, such as tables, stay text. Throws `TooDeepError`.
 */
export function fromMarkdown(markdown: string): RichText {
  return new BlockWriter().write(parser.parse(markdown, {}));
}

class BlockWriter {
  readonly #blocks: Block[] = [];
  readonly #entities: Entity[] = [];
  readonly #containers: Container[] = [];
  readonly #within: number[] = [];
  /** The number of blocks before each open container. */
  readonly #sizes: number[] = [];

  write(tokens: readonly Token[]): RichText {
    for (const [index, token] of tokens.entries()) this.#token(token, index, tokens);
    return { blocks: this.#blocks, entities: this.#entities, containers: this.#containers };
  }

  #token(token: Token, index: number, tokens: readonly Token[]): void {
    switch (token.type) {
      case 'blockquote_open':
        this.#enter({ type: 'quote' });
        break;
      case 'bullet_list_open':
        this.#enter({ type: 'unordered-list', loose: isLoose(index, tokens) });
        break;
      case 'ordered_list_open':
        this.#enter({
          type: 'ordered-list',
          start: Number(token.attrGet('start') ?? 1),
          loose: isLoose(index, tokens),
        });
        break;
      case 'list_item_open':
        this.#enter({ type: 'list-item' });
        break;
      case 'blockquote_close':
      case 'bullet_list_close':
      case 'ordered_list_close':
      case 'list_item_close':
        this.#leave();
        break;
      case 'fence':
      case 'code_block':
        this.#add('code-block', { text: token.content.replace(/\n$/, ''), info: infoOf(token) });
        break;
      case 'hr':
        this.#add('divider', {});
        break;
      case 'inline': {
        const opened = tokens[index - 1];
        const level = opened?.type === 'heading_open' ? Number(opened.tag.slice(1)) : 0;
        const inline = new InlineWriter(this.#entities).write(token.children ?? []);
        this.#add(headings[level - 1] ?? 'unstyled', inline);
        break;
      }
    }
  }

  #enter(container: Container): void {
    if (this.#within.length >= deepestNesting) throw new TooDeepError();
    this.#within.push(this.#containers.length);
    this.#sizes.push(this.#blocks.length);
    this.#containers.push(container);
  }

  /** Adds an empty block to an empty container, because rich text cannot represent a container without a block. */
  #leave(): void {
    if (this.#sizes.pop() === this.#blocks.length) this.#add('unstyled', {});
    this.#within.pop();
  }

  #add(type: BlockType, rest: Partial<Block>): void {
    this.#blocks.push({ type, text: '', info: '', styles: [], links: [], within: [...this.#within], ...rest });
  }
}

/** Returns true if the items of a list are separated by blank lines. The parser hides the paragraphs of other lists. */
function isLoose(start: number, tokens: readonly Token[]): boolean {
  const level = (tokens[start]?.level ?? 0) + 2;
  for (let index = start + 1; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined || token.level < level - 1) break;
    if (token.level === level && token.type === 'paragraph_open') return !token.hidden;
  }
  return false;
}

function infoOf({ info }: Token): string {
  return parser.utils.unescapeAll(info).trim().replaceAll(/\s+/g, ' ');
}
