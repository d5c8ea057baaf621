import {
  type Block,
  blockTypes,
  type Container,
  type Entity,
  type RichText,
  styles,
} from '../../shared/rich-text/rich-text.ts';
import { InvalidResponseError, id, list, object, readCount, text, type Wire } from './wire.ts';

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

export function readRichText(content: Wire): RichText {
  return {
    blocks: list(content.blocks, 'blocks').map(readBlock),
    entities: list(content.entities, 'entities').map(readEntity),
    containers: list(content.containers, 'containers').map(readContainer),
  };
}

function readBlock(item: unknown): Block {
  const block = object(item, 'blocks[]');
  const range = (from: Wire) => ({
    offset: readCount(from.offset, 'offset'),
    length: readCount(from.length, 'length'),
  });
  return {
    type: oneOf(block.type, 'type', blockTypes),
    text: text(block.text, 'text'),
    info: textOrEmpty(block.info, 'info'),
    styles: listOrEmpty(block.styles, 'styles').map((each) => {
      const from = object(each, 'styles[]');
      return { ...range(from), style: oneOf(from.style, 'style', styles) };
    }),
    links: listOrEmpty(block.entities, 'entities').map((each) => {
      const from = object(each, 'entities[]');
      return { ...range(from), entity: readCount(from.entity, 'entity') };
    }),
    within: listOrEmpty(block.within, 'within').map((place) => readCount(place, 'within')),
  };
}

function readEntity(item: unknown): Entity {
  const entity = object(item, 'entities[]');
  const title = textOrEmpty(entity.title, 'title');
  const url = text(entity.url, 'url');
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

function oneOf<Known extends string>(value: unknown, field: string, known: readonly Known[]): Known {
  const named = text(value, field);
  const found = known.find((each) => each === named);
  if (found === undefined) throw new InvalidResponseError(`${field} is "${named.slice(0, 40)}"`);
  return found;
}

function listOrEmpty(value: unknown, field: string): readonly unknown[] {
  return value === undefined ? [] : list(value, field);
}

function textOrEmpty(value: unknown, field: string): string {
  return value === undefined ? '' : text(value, field);
}
