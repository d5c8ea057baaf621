import {
  type Block,
  blockTypes,
  type Container,
  type Entity,
  type EntityRange,
  type RichText,
  styles,
} from '../../shared/rich-text/rich-text.ts';
import { InvalidResponseError, id, list, object, oneOf, readCount, text, type Wire } from '../http/wire.ts';

/** Contents with more styles and links per character, on average, are refused by the platform. */
const maxMarks = 8;
/** The maximum number of containers around a block, according to the contract. */
const maxNesting = 100;
/**
 * The maximum length of the Markdown of an article, roughly. An article has at most 100,000 characters when it is written. The addresses of its
 * pictures are longer when it is read.
 */
const maxWritten = 2_000_000;

/** Converts rich text to the JSON of the contract, in which empty fields are omitted. */
export function richTextToWire({ blocks, entities, containers }: RichText): Wire {
  return {
    blocks: blocks.map(({ type, text: words, info, styles: styled, links, within }) => ({
      type,
      text: words,
      ...(info !== '' && { info }),
      ...(styled.length > 0 && { styles: styled }),
      ...(links.length > 0 && { entities: links }),
      ...(within.length > 0 && { within }),
    })),
    entities: entities.map((entity) => {
      const title = entity.title === '' ? {} : { title: entity.title };
      if (entity.type === 'LINK') return { type: entity.type, url: entity.url, ...title };
      return { type: entity.type, media_id: entity.mediaId, alt: entity.alt, ...title };
    }),
    containers,
  };
}

/** Throws `InvalidResponseError` if the content is malformed, or its Markdown would be longer than that of any article. */
export function readRichText(content: Wire): RichText {
  const entities = list(content.entities, 'entities').map(readEntity);
  let written = 0;
  const blocks = list(content.blocks, 'blocks').map((item) => {
    const block = readBlock(item, entities);
    written += writtenLength(block, entities);
    if (written > maxWritten) throw new InvalidResponseError('content is longer than an article');
    return block;
  });
  return { blocks, entities, containers: list(content.containers, 'containers').map(readContainer) };
}

function readBlock(item: unknown, entities: readonly Entity[]): Block {
  const block = object(item, 'blocks[]');
  const words = text(block.text, 'text', maxWritten);
  let marked = 0;
  const range = (from: Wire) => {
    const [offset, length] = [readCount(from.offset, 'offset'), readCount(from.length, 'length')];
    marked += length;
    if (length === 0 || offset + length > words.length || marked > maxMarks * words.length)
      throw new InvalidResponseError('styles and links do not fit the text');
    return { offset, length };
  };
  return {
    type: oneOf(block.type, 'type', blockTypes),
    text: words,
    info: textOrEmpty(block.info, 'info'),
    styles: listOrEmpty(block.styles, 'styles').map((each) => {
      const from = object(each, 'styles[]');
      return { ...range(from), style: oneOf(from.style, 'style', styles) };
    }),
    links: withoutOverlaps(
      listOrEmpty(block.entities, 'entities').map((each) => {
        const from = object(each, 'entities[]');
        return { ...range(from), entity: readCount(from.entity, 'entity') };
      }),
      entities,
    ),
    within: listOrEmpty(block.within, 'within', maxNesting).map((place) => readCount(place, 'within')),
  };
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

/** Returns the approximate length of a block in Markdown. Each line repeats the marks of its containers, and each link its address. */
function writtenLength({ text, info, links, within }: Block, entities: readonly Entity[]): number {
  const lines = text.split('\n').length;
  const addresses = links.reduce((sum, { entity }) => sum + addressLength(entities[entity]), 0);
  return text.length + info.length + 4 * lines * within.length + addresses;
}

function addressLength(entity: Entity | undefined): number {
  if (entity === undefined) return 0;
  return entity.url.length + entity.title.length + (entity.type === 'MEDIA' ? entity.alt.length : 0);
}

function readEntity(item: unknown): Entity {
  const entity = object(item, 'entities[]');
  const title = textOrEmpty(entity.title, 'title');
  const url = text(entity.url, 'url', maxWritten);
  if (oneOf(entity.type, 'type', ['LINK', 'MEDIA']) === 'LINK') return { type: 'LINK', url, title };
  return { type: 'MEDIA', mediaId: id(entity.media_id, 'media_id'), url, alt: textOrEmpty(entity.alt, 'alt'), title };
}

function readContainer(item: unknown): Container {
  const container = object(item, 'containers[]');
  const type = oneOf(container.type, 'type', ['quote', 'unordered-list', 'ordered-list', 'list-item']);
  if (type === 'quote' || type === 'list-item') return { type };
  const loose = container['loose'] === true;
  if (type === 'unordered-list') return { type, loose };
  return { type, loose, start: 'start' in container ? readCount(container.start, 'start') : 1 };
}

function listOrEmpty(value: unknown, field: string, max?: number): readonly unknown[] {
  return value === undefined ? [] : list(value, field, max);
}

function textOrEmpty(value: unknown, field: string): string {
  return value === undefined ? '' : text(value, field, maxWritten);
}
