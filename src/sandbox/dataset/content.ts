import { type Fields, optionalInteger, optionalString, requiredInteger, requiredString } from '../fields.ts';
import { badRequest } from '../refusal.ts';

/**
 * The content of an article, in the form of the contract: blocks of plain text, with styles, links and media for ranges
 * of the text.
 */
export interface ArticleContent {
  readonly blocks: readonly ContentBlock[];
  readonly entities: readonly ContentEntity[];
  readonly containers: readonly ContentContainer[];
}

export interface ContentBlock {
  readonly type: string;
  readonly text: string;
  readonly info?: string;
  readonly styles?: readonly { readonly offset: number; readonly length: number; readonly style: string }[];
  readonly entities?: readonly { readonly offset: number; readonly length: number; readonly entity: number }[];
  /** Indices into `containers`, the outermost container first. */
  readonly within?: readonly number[];
}

export type ContentEntity =
  | { readonly type: 'LINK'; readonly url: string; readonly title?: string }
  | { readonly type: 'MEDIA'; readonly media_id: string; readonly alt?: string; readonly title?: string };

export interface ContentContainer {
  readonly type: string;
  readonly start?: number;
  readonly loose?: boolean;
}

const blockTypes = [
  'unstyled',
  'header-one',
  'header-two',
  'header-three',
  'header-four',
  'header-five',
  'header-six',
  'code-block',
  'divider',
];
const containerTypes = ['quote', 'unordered-list', 'ordered-list', 'list-item'];
const styles = ['BOLD', 'ITALIC', 'CODE'];
const MAX_ITEMS = 200_000;
/**
 * The limit of styles and links per character on average. Each of them becomes an HTML tag, so without a limit a short
 * text could produce a very large page.
 */
const MAX_MARKS = 8;

export const noContent: ArticleContent = { blocks: [], entities: [], containers: [] };

/** Validates article content. Copies only the fields that the contract names, so unknown fields are dropped. */
export function readContent(value: unknown): ArticleContent {
  const fields = asFields(value, 'content');
  const entities = listOf(fields, 'entities').map(readEntity);
  const containers = listOf(fields, 'containers').map(readContainer);
  const blocks = listOf(fields, 'blocks').map((block) => readBlock(block, entities.length, containers.length));
  return { blocks, entities, containers };
}

/** Returns the ids of the media that the content shows. */
export function mediaIn({ entities }: ArticleContent): string[] {
  return entities.flatMap((entity) => (entity.type === 'MEDIA' ? [entity.media_id] : []));
}

function readBlock(value: unknown, entities: number, containers: number): ContentBlock {
  const block = asFields(value, 'content.blocks');
  const text = requiredString(block, 'text');
  const info = optionalString(block, 'info');
  const range = (fields: Fields) => {
    const offset = requiredInteger(fields, 'offset', 0, text.length);
    return { offset, length: requiredInteger(fields, 'length', 1, text.length - offset) };
  };
  const styled = listOf(block, 'styles').map((each) => {
    const fields = asFields(each, 'styles');
    return { ...range(fields), style: oneOf(fields, 'style', styles) };
  });
  const linked = listOf(block, 'entities').map((each) => {
    const fields = asFields(each, 'entities');
    return { ...range(fields), entity: requiredInteger(fields, 'entity', 0, entities - 1) };
  });
  const marked = [...styled, ...linked].reduce((sum, { length }) => sum + length, 0);
  if (marked > MAX_MARKS * text.length)
    throw badRequest('content', `a text has more than ${MAX_MARKS} styles and links per character on average`);
  const within = listOf(block, 'within').map((place) =>
    requiredInteger({ within: place }, 'within', 0, containers - 1),
  );
  if (within.length > 100) throw badRequest('content', 'content is nested too deeply');
  return {
    type: oneOf(block, 'type', blockTypes),
    text,
    ...(info !== undefined && { info }),
    ...(styled.length > 0 && { styles: styled }),
    ...(linked.length > 0 && { entities: linked }),
    ...(within.length > 0 && { within }),
  };
}

function readEntity(value: unknown): ContentEntity {
  const fields = asFields(value, 'content.entities');
  const title = optionalString(fields, 'title');
  const titled = title === undefined ? {} : { title };
  if (oneOf(fields, 'type', ['LINK', 'MEDIA']) === 'LINK') {
    const url = requiredString(fields, 'url');
    if (!/^(?:https?|mailto):/i.test(url))
      throw badRequest('content', 'a link must start with http:, https: or mailto:');
    return { type: 'LINK', url, ...titled };
  }
  const alt = optionalString(fields, 'alt');
  return { type: 'MEDIA', media_id: requiredString(fields, 'media_id'), ...(alt !== undefined && { alt }), ...titled };
}

function readContainer(value: unknown): ContentContainer {
  const fields = asFields(value, 'content.containers');
  const start = optionalInteger(fields, 'start', 0, 999_999_999);
  return {
    type: oneOf(fields, 'type', containerTypes),
    ...(start !== undefined && { start }),
    ...(fields['loose'] === true && { loose: true }),
  };
}

function asFields(value: unknown, name: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw badRequest('content', `${name} must be an object`);
}

function listOf(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name] ?? [];
  if (Array.isArray(value) && value.length <= MAX_ITEMS) return value;
  throw badRequest('content', `${name} must be an array`);
}

function oneOf(fields: Fields, name: string, known: readonly string[]): string {
  const value = requiredString(fields, name);
  if (known.includes(value)) return value;
  throw badRequest('content', `${name} must be one of ${known.join(', ')}`);
}
