import {
  type Block,
  blockTypes,
  type Container,
  type Entity,
  type RichText,
  styles,
} from '../../shared/rich-text/rich-text.ts';
import { asWire, count, id, list, NonsenseError, text, type Wire } from './wire.ts';

/** Converts rich text to the form of the contract, which omits empty fields. */
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
    blocks: list(content, 'blocks').map(readBlock),
    entities: list(content, 'entities').map(readEntity),
    containers: list(content, 'containers').map(readContainer),
  };
}

function readBlock(item: unknown): Block {
  const block = asWire(item, 'blocks[]');
  const range = (from: Wire) => ({ offset: count(from, 'offset'), length: count(from, 'length') });
  return {
    type: oneOf(block, 'type', blockTypes),
    text: text(block, 'text'),
    info: textOrEmpty(block, 'info'),
    styles: listOrEmpty(block, 'styles').map((each) => {
      const from = asWire(each, 'styles[]');
      return { ...range(from), style: oneOf(from, 'style', styles) };
    }),
    links: listOrEmpty(block, 'entities').map((each) => {
      const from = asWire(each, 'entities[]');
      return { ...range(from), entity: count(from, 'entity') };
    }),
    within: listOrEmpty(block, 'within').map((place) => count({ place }, 'place')),
  };
}

function readEntity(item: unknown): Entity {
  const entity = asWire(item, 'entities[]');
  const title = textOrEmpty(entity, 'title');
  const url = text(entity, 'url');
  if (oneOf(entity, 'type', ['LINK', 'MEDIA']) === 'LINK') return { type: 'LINK', url, title };
  return { type: 'MEDIA', mediaId: id(entity, 'media_id'), url, alt: textOrEmpty(entity, 'alt'), title };
}

function readContainer(item: unknown): Container {
  const container = asWire(item, 'containers[]');
  const type = oneOf(container, 'type', ['quote', 'unordered-list', 'ordered-list', 'list-item']);
  if (type === 'quote' || type === 'list-item') return { type };
  const loose = container['loose'] === true;
  if (type === 'unordered-list') return { type, loose };
  return { type, loose, start: 'start' in container ? count(container, 'start') : 1 };
}

function oneOf<Known extends string>(from: Wire, field: string, known: readonly Known[]): Known {
  const value = text(from, field);
  const found = known.find((each) => each === value);
  if (found === undefined) throw new NonsenseError(`${field} is "${value.slice(0, 40)}"`);
  return found;
}

function listOrEmpty(from: Wire, field: string): readonly unknown[] {
  return field in from ? list(from, field) : [];
}

function textOrEmpty(from: Wire, field: string): string {
  return field in from ? text(from, field) : '';
}
