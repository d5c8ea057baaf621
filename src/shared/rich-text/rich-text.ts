/**
 * A formatted text in the form that the platform stores: a flat list of blocks of plain text, with styles and links as separate ranges.
 * Offsets and lengths are counted in UTF-16 code units. The text contains no markup, so it contains nothing that could be executed.
 */
export interface RichText {
  readonly blocks: readonly Block[];
  /** Links and media. Blocks refer to them by index. */
  readonly entities: readonly Entity[];
  /** Quotes, lists and list items. Blocks refer to them by index. */
  readonly containers: readonly Container[];
}

/**
 * A `RichText` as JSON. It stays serialized outside of tasks (`src/shared/threads`), because copying the up to 100,000 objects of a long
 * article between threads takes longer than copying a string.
 */
export type RichTextJson = string;

export function parseRichText(json: RichTextJson): RichText {
  return JSON.parse(json) as RichText;
}

export const headings = [
  'header-one',
  'header-two',
  'header-three',
  'header-four',
  'header-five',
  'header-six',
] as const;
export const blockTypes = ['unstyled', ...headings, 'code-block', 'divider'] as const;
export type BlockType = (typeof blockTypes)[number];

export interface Block {
  readonly type: BlockType;
  /** The plain text. A line break is `\n`, and media is one `mediaSign`. */
  readonly text: string;
  /** The info string of a code block, such as its language. It is empty for other blocks. */
  readonly info: string;
  readonly styles: readonly StyleRange[];
  readonly links: readonly EntityRange[];
  /** Indexes of the containers around the block, outermost first. */
  readonly within: readonly number[];
}

export const styles = ['BOLD', 'ITALIC', 'CODE'] as const;
export type Style = (typeof styles)[number];

export interface StyleRange {
  readonly offset: number;
  readonly length: number;
  readonly style: Style;
}

export interface EntityRange {
  readonly offset: number;
  readonly length: number;
  /** The index of the entity. */
  readonly entity: number;
}

export type Entity = Link | PlacedMedia;

export interface Link {
  readonly type: 'LINK';
  readonly url: string;
  readonly title: string;
}

export interface PlacedMedia {
  readonly type: 'MEDIA';
  /** The platform's media id; null before the media is uploaded. */
  readonly mediaId: string | null;
  /** The URL from which the media is fetched, or its URL on the platform. */
  readonly url: string;
  readonly alt: string;
  readonly title: string;
}

export const containerTypes = ['quote', 'unordered-list', 'ordered-list', 'list-item'] as const;

export type Container =
  | { readonly type: 'quote' }
  | { readonly type: 'unordered-list'; readonly loose: boolean }
  | { readonly type: 'ordered-list'; readonly start: number; readonly loose: boolean }
  | { readonly type: 'list-item' };

export const mediaSign = '\ufffc';

/** The maximum number of nested containers. A list and its item count as two. */
export const deepestNesting = 40;
