import { MediaError } from './media-error.ts';
import type { Spool } from './spool.ts';
import type { PictureSize } from './types.ts';

/** The opening tag of the root element must end within this many bytes. */
const rootBytes = 16_384;
const mostAttributes = 100;
/** A longer side is not reported, because callers of dm/send_media cannot declare a longer one either. */
const maxSvgSide = 65_535;

/**
 * Matches everything that may precede the root element: a byte order mark, the XML declaration, comments, and a doctype
 * without internal declarations.
 */
const svgStart =
  /^\uFEFF?\s*(?:<\?xml[^<>]{0,200}\?>\s*)?(?:<!--(?:[^-]|-(?!->)){0,10000}-->\s*|<!DOCTYPE\s+svg[^<>[\]]{0,300}>\s*){0,10}<svg(?=[\s/>])/;

const attribute = /\s+([^\s=<>/"']{1,100})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;

/** The number of CSS pixels in each absolute unit (CSS Values and Units 4, section 6.2). */
const pixelsOf: Readonly<Record<string, number>> = {
  px: 1,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
  pt: 96 / 72,
  pc: 16,
};

const number = String.raw`\+?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?:[eE][+-]?\d{1,2})?`;
const length = new RegExp(`^\\s*(${number})(px|in|cm|mm|q|pt|pc)?\\s*$`, 'i');
const box = new RegExp(`^\\s*-?${number}[\\s,]+-?${number}[\\s,]+(${number})[\\s,]+(${number})\\s*$`);

export function isSvg(head: Uint8Array): boolean {
  return svgStart.test(textOf(head));
}

/**
 * Returns the size in CSS pixels from `width` and `height` of the root element, or else from `viewBox`. Returns `null`
 * if these attributes are missing, are relative to a page, or contain an entity reference, because entities are not
 * expanded.
 */
function svgSize(head: Uint8Array): PictureSize | null {
  const attributes = rootAttributes(textOf(head));
  const [width, height] = [readLength(attributes.get('width')), readLength(attributes.get('height'))];
  const [, boxWidth, boxHeight] = box.exec(attributes.get('viewBox') ?? '') ?? [];
  const shape = { width: Number(boxWidth ?? 0), height: Number(boxHeight ?? 0) };
  if (width !== null && height !== null) return bounded({ width, height });
  if (shape.width <= 0 || shape.height <= 0) return null;
  if (width !== null) return bounded({ width, height: (width * shape.height) / shape.width });
  if (height !== null) return bounded({ width: (height * shape.width) / shape.height, height });
  return bounded(shape);
}

/** Checks that an SVG is complete. Returns its size, or `null` if it has none. Throws `MediaError`. */
export async function inspectSvg(spool: Spool): Promise<PictureSize | null> {
  const end = (await spool.read(Math.max(0, spool.size - 1_024), 1_024)).toString('utf8');
  if (!/(?:<\/svg\s*>|\/>)\s*(?:<!--[^<>]{0,900}-->\s*)?$/.test(end)) {
    throw new MediaError('is a truncated SVG');
  }
  return svgSize(spool.head);
}

function textOf(head: Uint8Array): string {
  return Buffer.from(head.subarray(0, rootBytes)).toString('utf8');
}

function rootAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  attribute.lastIndex = svgStart.exec(text)?.[0].length ?? text.length;
  while (attributes.size < mostAttributes) {
    const found = attribute.exec(text);
    if (found === null) break;
    const [, name = '', quoted, apostrophed = ''] = found;
    if (attributes.has(name)) break;
    attributes.set(name, quoted ?? apostrophed);
  }
  attribute.lastIndex = 0;
  return attributes;
}

function readLength(text: string | undefined): number | null {
  const [, value, unit = 'px'] = length.exec(text ?? '') ?? [];
  const pixels = Number(value) * (pixelsOf[unit.toLowerCase()] ?? 1);
  return pixels > 0 ? pixels : null;
}

function bounded(size: PictureSize): PictureSize | null {
  const [width, height] = [Math.round(size.width), Math.round(size.height)];
  const isSane = (side: number) => side >= 1 && side <= maxSvgSide;
  return isSane(width) && isSane(height) ? { width, height } : null;
}
