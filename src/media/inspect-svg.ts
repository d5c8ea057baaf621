import type { PictureSize } from './inspect-image.ts';
import { MediaError } from './media-error.ts';
import type { Spool } from './spool.ts';

/** The opening tag of the root element must end within this many bytes. */
const rootBytes = 16_384;
const mostAttributes = 100;
/** A larger side is not reported: callers of dm/send_media cannot give a larger one either. */
const longestSvgSide = 65_535;

/** A byte order mark, the XML declaration, comments and a doctype without declarations of its own may precede the root element. */
const svgStart =
  /^\uFEFF?\s*(?:<\?xml[^<>]{0,200}\?>\s*)?(?:<!--(?:[^-]|-(?!->)){0,10000}-->\s*|<!DOCTYPE\s+svg[^<>[\]]{0,300}>\s*){0,10}<svg(?=[\s/>])/;

const attribute = /\s+([^\s=<>/"']{1,100})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y;

/** CSS pixels of each absolute unit (CSS Values and Units 4, section 6.2). */
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
 * Returns the size in CSS pixels from the attributes of the root element: `width` and `height`, or else `viewBox`. Returns `null`
 * if they are missing or relative to a page. References to entities are not expanded, so an attribute that has one counts as missing.
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

/** Checks that an SVG is complete and returns its size, if it has one. Throws `MediaError`. */
export async function inspectSvg(spool: Spool): Promise<PictureSize | null> {
  const end = (await spool.read(Math.max(0, spool.size - 1_024), 1_024)).toString('utf8');
  if (!/(?:<\/svg\s*>|\/>)\s*(?:<!--[^<>]{0,900}-->\s*)?$/.test(end)) {
    throw new MediaError('is an SVG that is cut short');
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
  const isSane = (side: number) => side >= 1 && side <= longestSvgSide;
  return isSane(width) && isSane(height) ? { width, height } : null;
}
