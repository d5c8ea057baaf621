import type { Token } from 'markdown-it';
import { type Entity, type EntityRange, mediaSign, type Style, type StyleRange, styles } from './rich-text.ts';

const marks: Readonly<Record<string, Style>> = { strong: 'BOLD', em: 'ITALIC' };
const allowedLink = /^(?:https?|mailto):/i;

interface Inline {
  readonly text: string;
  readonly styles: readonly StyleRange[];
  readonly links: readonly EntityRange[];
}

/** Writes the text, styles and links of one paragraph or heading. */
export class InlineWriter {
  readonly #entities: Entity[];
  readonly #styles: StyleRange[] = [];
  readonly #links: EntityRange[] = [];
  /** The offsets at which each style was opened. A style nested in itself has no effect. */
  readonly #opened: Record<Style, number[]> = { BOLD: [], ITALIC: [], CODE: [] };
  #link: { offset: number; url: string; title: string } | undefined;
  #text = '';

  constructor(entities: Entity[]) {
    this.#entities = entities;
  }

  write(tokens: readonly Token[]): Inline {
    for (const token of tokens) this.#token(token);
    return { text: this.#text, styles: joined(this.#styles), links: this.#links };
  }

  #token(token: Token): void {
    switch (token.type) {
      case 'softbreak':
        this.#text += ' ';
        break;
      case 'hardbreak':
        this.#text += '\n';
        break;
      case 'code_inline':
        this.#style('CODE', this.#text.length, token.content.length);
        this.#text += token.content;
        break;
      case 'strong_open':
      case 'em_open':
        this.#opened[markOf(token)].push(this.#text.length);
        break;
      case 'strong_close':
      case 'em_close':
        this.#closeStyle(markOf(token));
        break;
      case 'link_open':
        this.#openLink(token);
        break;
      case 'link_close':
        this.#closeLink();
        break;
      case 'image':
        this.#image(token);
        break;
      default:
        this.#text += token.content;
    }
  }

  #closeStyle(style: Style): void {
    const offset = this.#opened[style].pop() ?? 0;
    if (this.#opened[style].length === 0) this.#style(style, offset, this.#text.length - offset);
  }

  #style(style: Style, offset: number, length: number): void {
    if (length > 0) this.#styles.push({ offset, length, style });
  }

  #openLink(token: Token): void {
    const url = attribute(token, 'href');
    if (!allowedLink.test(url)) return;
    this.#link = { offset: this.#text.length, url, title: attribute(token, 'title') };
  }

  #closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    // A link without text is dropped, because nobody could click it.
    if (link === undefined || link.offset === this.#text.length) return;
    const { offset, url, title } = link;
    this.#links.push({ offset, length: this.#text.length - offset, entity: this.#entities.length });
    this.#entities.push({ type: 'LINK', url, title });
  }

  #image(token: Token): void {
    this.#links.push({ offset: this.#text.length, length: mediaSign.length, entity: this.#entities.length });
    this.#entities.push({
      type: 'MEDIA',
      mediaId: null,
      url: attribute(token, 'src'),
      alt: wordsOf(token.children ?? []),
      title: attribute(token, 'title'),
    });
    this.#text += mediaSign;
  }
}

/** Sorts and merges adjacent ranges, so that the same formatted text always has the same ranges. */
function joined(ranges: readonly StyleRange[]): StyleRange[] {
  return styles.flatMap((style) => {
    const made: { offset: number; length: number; style: Style }[] = [];
    const own = ranges.filter((range) => range.style === style).sort((a, b) => a.offset - b.offset);
    for (const { offset, length } of own) {
      const last = made.at(-1);
      if (last === undefined || last.offset + last.length < offset) made.push({ offset, length, style });
      else last.length = Math.max(last.length, offset + length - last.offset);
    }
    return made;
  });
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? '');
}

function markOf({ tag }: Token): Style {
  return marks[tag] ?? 'BOLD';
}

function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'image') return wordsOf(token.children ?? []);
      return token.type === 'softbreak' || token.type === 'hardbreak' ? ' ' : token.content;
    })
    .join('');
}
