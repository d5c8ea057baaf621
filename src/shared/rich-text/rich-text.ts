/**
 * Written matter as the platform keeps it: a flat list of blocks of plain text, with what is said of stretches of the text
 * beside it. Offsets and lengths count UTF-16 units. There is no markup in it, so nothing in it can be run.
 */
export interface RichText {
  readonly blocks: readonly Block[];
  /** What blocks point to by its place. */
  readonly entities: readonly Entity[];
  /** Quotes, lists and their items, which blocks say they are in. */
  readonly containers: readonly Container[];
}

/**
 * A `RichText` as JSON. Rich text of a long article has up to 100,000 objects, which take longer to copy between threads
 * than a string. Only tasks (`src/shared/threads`) parse it.
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
  /** A line break is `\n`; where media stands there is one `mediaSign`. */
  readonly text: string;
  /** What a code block says of itself, such as its language; elsewhere empty. */
  readonly info: string;
  readonly styles: readonly StyleRange[];
  readonly links: readonly EntityRange[];
  /** Places of its containers, the outermost first. */
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
  /** Place among the entities. */
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
  /** The platform's id; null before it was uploaded. */
  readonly mediaId: string | null;
  /** Where it is to be fetched, or where the platform shows it. */
  readonly url: string;
  readonly alt: string;
  readonly title: string;
}

export type Container =
  | { readonly type: 'quote' }
  | { readonly type: 'unordered-list'; readonly loose: boolean }
  | { readonly type: 'ordered-list'; readonly start: number; readonly loose: boolean }
  | { readonly type: 'list-item' };

/** OBJECT REPLACEMENT CHARACTER. */
export const mediaSign = '\ufffc';

/** How many containers may stand in each other; a list and its item are two. */
export const deepestNesting = 40;
