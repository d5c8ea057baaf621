import {
  type Block,
  type BlockType,
  type Container,
  type Entity,
  mediaSign,
  type RichText,
  type Style,
} from '../../shared/rich-text/rich-text.ts';
import { badRequest } from '../refusal.ts';

/*
 * X's content of articles, which is that of DraftJS with other names: a flat list of blocks without containers. The sandbox stores it as
 * the content of its extension. Blocks of Markdown are parsed.
 */

type Wire = Readonly<Record<string, unknown>>;

const asIs: readonly BlockType[] = ['header-one', 'header-two', 'header-three'];
/** The containers of consecutive blocks of a type, outermost first. Each item of a list has one of its own. */
const wrapped: Readonly<Record<string, readonly Container[]>> = {
  blockquote: [{ type: 'quote' }],
  'unordered-list-item': [{ type: 'unordered-list', loose: false }, { type: 'list-item' }],
  'ordered-list-item': [{ type: 'ordered-list', start: 1, loose: false }, { type: 'list-item' }],
};
const styleNames: Readonly<Record<string, Style>> = { bold: 'BOLD', italic: 'ITALIC' };

export async function readContentState(value: unknown): Promise<RichText> {
  const { blocks, entities } = objectOf(value);
  const reader = new Reader(listOf(entities).map((entity) => objectOf(objectOf(entity)['value'])));
  for (const block of listOf(blocks)) await reader.add(objectOf(block));
  return reader;
}

class Reader implements RichText {
  readonly blocks: Block[] = [];
  readonly entities: Entity[] = [];
  readonly containers: Container[] = [];
  readonly #found: readonly Wire[];
  #last = { type: '', place: 0 };

  constructor(found: readonly Wire[]) {
    this.#found = found;
  }

  async add(block: Wire): Promise<void> {
    const type = textOf(block['type']);
    const text = textOf(block['text']);
    const linked = listOf(block['entity_ranges'] ?? []).map((range) => ({
      ...rangeOf(range, text),
      of: this.#entity(range),
    }));
    if (type === 'atomic') {
      for (const { of } of linked) await this.#addAtomic(of);
    } else {
      const links = linked.flatMap(({ of, ...range }) =>
        of['type'] === 'link'
          ? [{ ...range, entity: this.#addEntity({ type: 'LINK', url: urlOf(of), title: '' }) }]
          : [],
      );
      const styled = listOf(block['inline_style_ranges'] ?? []).flatMap((range) => {
        const style = styleNames[textOf(objectOf(range)['style'])];
        return style === undefined ? [] : [{ ...rangeOf(range, text), style }];
      });
      const known = asIs.find((each) => each === type) ?? 'unstyled';
      this.#addBlock({ type: known, text, styles: styled, links, within: this.#within(type) });
    }
    this.#last = { ...this.#last, type };
  }

  async #addAtomic(entity: Wire): Promise<void> {
    const data = objectOf(entity['data']);
    if (entity['type'] === 'divider') this.#addBlock({ type: 'divider', text: '' });
    else if (entity['type'] === 'image') {
      const links = listOf(data['media_items']).map((item, offset) => {
        const mediaId = textOf(objectOf(item)['media_id']);
        const alt = textOf(data['caption'] ?? '');
        return { offset, length: 1, entity: this.#addEntity({ type: 'MEDIA', mediaId, url: '', alt, title: '' }) };
      });
      this.#addBlock({ type: 'unstyled', text: mediaSign.repeat(links.length), links });
    } else if (entity['type'] === 'markdown') {
      const { fromMarkdown } = await import('../../shared/rich-text/from-markdown.ts');
      this.#addRichText(fromMarkdown(textOf(data['markdown'])));
    } else throw badRequest('content_state', `The sandbox does not know entities of type ${String(entity['type'])}`);
  }

  /** Adds a text without its pictures, which are no uploads. */
  #addRichText({ blocks, entities, containers }: RichText): void {
    const base = this.containers.length;
    this.containers.push(...containers);
    const places = entities.map((entity) => (entity.type === 'LINK' ? this.#addEntity(entity) : null));
    for (const block of blocks) {
      const links = block.links.flatMap((link) => {
        const entity = places[link.entity] ?? null;
        return entity === null ? [] : [{ ...link, entity }];
      });
      this.blocks.push({ ...block, links, within: block.within.map((place) => base + place) });
    }
  }

  #addBlock(block: Pick<Block, 'type' | 'text'> & Partial<Block>): void {
    this.blocks.push({ info: '', styles: [], links: [], within: [], ...block });
  }

  /** Returns the containers of a block. Those of the block before go on if it has the same type. */
  #within(type: string): number[] {
    const [outer, item] = wrapped[type] ?? [];
    if (outer === undefined) return [];
    if (this.#last.type !== type) this.#last = { type, place: this.containers.push(outer) - 1 };
    return [this.#last.place, ...(item ? [this.containers.push(item) - 1] : [])];
  }

  #addEntity(entity: Entity): number {
    return this.entities.push(entity) - 1;
  }

  #entity(range: unknown): Wire {
    const found = this.#found[Number(objectOf(range)['key'])];
    if (found === undefined) throw badRequest('content_state', 'An entity is missing');
    return found;
  }
}

function rangeOf(range: unknown, text: string) {
  const { offset, length } = objectOf(range);
  const [start, size] = [Number(offset), Number(length)];
  if (Number.isInteger(start) && Number.isInteger(size) && start >= 0 && size > 0 && start + size <= text.length)
    return { offset: start, length: size };
  throw badRequest('content_state', 'A range does not fit its text');
}

function urlOf(entity: Wire): string {
  const url = textOf(objectOf(entity['data'])['url']);
  if (/^(?:https?|mailto):/i.test(url)) return url;
  throw badRequest('content_state', 'A link must start with http:, https: or mailto:');
}

function objectOf(value: unknown): Wire {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Wire;
  throw badRequest('content_state', 'The content_state must be an object with blocks and entities');
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw badRequest('content_state', 'The content_state lacks a list');
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw badRequest('content_state', 'The content_state lacks a text');
}
