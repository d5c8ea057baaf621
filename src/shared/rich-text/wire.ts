import {
  type Block,
  blockTypes,
  type Container,
  containerTypes,
  type Entity,
  type EntityRange,
  type RichText,
  type StyleRange,
  styles,
} from './rich-text.ts';

/** Rich text as JSON of the sandbox, which omits empty fields and stores it in this form. */
export interface ArticleContent {
  readonly blocks: readonly ContentBlock[];
  readonly entities: readonly ContentEntity[];
  readonly containers: readonly ContentContainer[];
}

export interface ContentBlock extends Pick<Block, 'text'> {
  readonly type: string;
  readonly info?: string;
  readonly styles?: readonly StyleRange[];
  readonly entities?: readonly EntityRange[];
  readonly within?: readonly number[];
}

export type ContentEntity =
  | { readonly type: 'LINK'; readonly url: string; readonly title?: string }
  | { readonly type: 'MEDIA'; readonly media_id: string; readonly alt?: string; readonly title?: string };

export interface ContentContainer {
  readonly type: Container['type'];
  readonly start?: number;
  readonly loose?: boolean;
}

/**
 * The limit of styles and links per character on average. Each of them becomes a mark or an HTML tag, so without a
 * limit a short text could produce a very large page.
 */
const maxMarks = 8;
/** The maximum number of containers around a block. */
const maxNesting = 100;
/**
 * The maximum length of the Markdown of an article, roughly. An article has at most 100,000 characters when it is
 * written. The addresses of its pictures are longer when it is read.
 */
const maxWritten = 2_000_000;

export function richTextToWire({ blocks, entities, containers }: RichText): ArticleContent {
  return {
    blocks: blocks.map(({ type, text, info, styles: styled, links, within }) => ({
      type,
      text,
      ...(info !== '' && { info }),
      ...(styled.length > 0 && { styles: styled }),
      ...(links.length > 0 && { entities: links }),
      ...(within.length > 0 && { within }),
    })),
    entities: entities.map((entity) => {
      const title = entity.title === '' ? {} : { title: entity.title };
      if (entity.type === 'LINK') return { type: entity.type, url: entity.url, ...title };
      return { type: entity.type, media_id: entity.mediaId ?? '', alt: entity.alt, ...title };
    }),
    containers,
  };
}

/**
 * Reads rich text. Throws the error that `fail` returns if the content is malformed, or its Markdown would be longer
 * than that of any article. Unknown fields are dropped.
 */
export function readRichText(content: unknown, fail: (message: string) => Error): RichText {
  return new Reader(fail).read(content);
}

type Fields = Readonly<Record<string, unknown>>;

class Reader {
  readonly #fail: (message: string) => Error;

  constructor(fail: (message: string) => Error) {
    this.#fail = fail;
  }

  read(value: unknown): RichText {
    const content = this.#object(value, 'content');
    const entities = this.#list(content, 'entities').map((each) => this.#entity(each));
    const containers = this.#list(content, 'containers').map((each) => this.#container(each));
    let written = 0;
    const blocks = this.#list(content, 'blocks').map((each) => {
      const block = this.#block(each, entities, containers.length);
      written += writtenLength(block, entities);
      if (written > maxWritten) throw this.#fail('content is longer than an article');
      return block;
    });
    return { blocks, entities, containers };
  }

  #block(value: unknown, entities: readonly Entity[], containers: number): Block {
    const block = this.#object(value, 'blocks[]');
    const text = this.#text(block, 'text');
    let marked = 0;
    const range = (from: Fields) => {
      const offset = this.#integer(from, 'offset', 0, text.length);
      const length = this.#integer(from, 'length', 1, text.length - offset);
      marked += length;
      if (marked > maxMarks * text.length)
        throw this.#fail(`a text has more than ${maxMarks} styles and links per character on average`);
      return { offset, length };
    };
    return {
      type: this.#oneOf(block, 'type', blockTypes),
      text,
      info: this.#text(block, 'info', ''),
      styles: this.#list(block, 'styles').map((each) => {
        const from = this.#object(each, 'styles[]');
        return { ...range(from), style: this.#oneOf(from, 'style', styles) };
      }),
      links: withoutOverlaps(
        this.#list(block, 'entities').map((each) => {
          const from = this.#object(each, 'entities[]');
          return { ...range(from), entity: this.#integer(from, 'entity', 0, entities.length - 1) };
        }),
        entities,
      ),
      within: this.#list(block, 'within', maxNesting).map((within) =>
        this.#integer({ within }, 'within', 0, containers - 1),
      ),
    };
  }

  #entity(value: unknown): Entity {
    const entity = this.#object(value, 'entities[]');
    const title = this.#text(entity, 'title', '');
    if (this.#oneOf(entity, 'type', ['LINK', 'MEDIA']) === 'MEDIA') {
      const mediaId = this.#text(entity, 'media_id');
      if (!/^\d{1,20}$/.test(mediaId)) throw this.#fail('media_id must be an id');
      return { type: 'MEDIA', mediaId, url: this.#text(entity, 'url', ''), alt: this.#text(entity, 'alt', ''), title };
    }
    const url = this.#text(entity, 'url');
    if (!/^(?:https?|mailto):/i.test(url)) throw this.#fail('a link must start with http:, https: or mailto:');
    return { type: 'LINK', url, title };
  }

  #container(value: unknown): Container {
    const container = this.#object(value, 'containers[]');
    const type = this.#oneOf(container, 'type', containerTypes);
    if (type === 'quote' || type === 'list-item') return { type };
    const loose = container['loose'] === true;
    if (type === 'unordered-list') return { type, loose };
    return { type, loose, start: this.#integer(container, 'start', 0, 999_999_999, 1) };
  }

  #object(value: unknown, name: string): Fields {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
    throw this.#fail(`${name} must be an object`);
  }

  #list(fields: Fields, name: string, most = Number.POSITIVE_INFINITY): readonly unknown[] {
    const value = fields[name] ?? [];
    if (Array.isArray(value) && value.length <= most) return value;
    throw this.#fail(`${name} must be an array${most < Number.POSITIVE_INFINITY ? ` of at most ${most} items` : ''}`);
  }

  #text(fields: Fields, name: string, missing?: string): string {
    const value = fields[name] ?? missing;
    if (typeof value === 'string' && value.length <= maxWritten) return value;
    throw this.#fail(`${name} must be a string of at most ${maxWritten} characters`);
  }

  #integer(fields: Fields, name: string, low: number, high: number, missing?: number): number {
    const value = fields[name] ?? missing;
    if (Number.isInteger(value) && Number(value) >= low && Number(value) <= high) return Number(value);
    throw this.#fail(`${name} must be an integer from ${low} to ${high}`);
  }

  #oneOf<const Known extends string>(fields: Fields, name: string, known: readonly Known[]): Known {
    const found = known.find((each) => each === fields[name]);
    if (found !== undefined) return found;
    throw this.#fail(`${name} must be one of ${known.join(', ')}`);
  }
}

/** Drops links that begin in another link, which Markdown cannot express. A link may contain pictures. */
function withoutOverlaps(links: readonly EntityRange[], entities: readonly Entity[]): EntityRange[] {
  let endBefore = 0;
  return links
    .toSorted((a, b) => a.offset - b.offset)
    .filter(({ offset, length, entity }) => {
      if (entities[entity]?.type !== 'LINK') return true;
      if (offset < endBefore) return false;
      endBefore = offset + length;
      return true;
    });
}

/** Returns the approximate length of a block in Markdown. Lines repeat marks of containers, and links their address. */
function writtenLength({ text, info, links, within }: Block, entities: readonly Entity[]): number {
  const lines = text.split('\n').length;
  const addresses = links.reduce((sum, { entity }) => sum + addressLength(entities[entity]), 0);
  return text.length + info.length + 4 * lines * within.length + addresses;
}

function addressLength(entity: Entity | undefined): number {
  if (entity === undefined) return 0;
  return entity.url.length + entity.title.length + (entity.type === 'MEDIA' ? entity.alt.length : 0);
}
