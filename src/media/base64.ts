import { turn } from '../shared/runtime/turns.ts';
import { MediaError } from './media-error.ts';

/**
 * Matches a character that is not in the alphabet of base64 (RFC 4648, section 4). The pattern `^[…]+$` would exceed the stack of V8 in
 * a process that has compiled so many regular expressions that it no longer optimises them.
 */
const foreign = /[^A-Za-z0-9+/]/;
/** Matches a data: URI (RFC 2397). Only base64 content is accepted. */
const dataUri = /^data:([^,;]*)((?:;[^,;]*)*),/i;
const longestPrefix = 300;

export interface DecodedMedia {
  slices: readonly Buffer[];
  /** The media type declared in a data: URI. `null` for plain base64. */
  type: string | null;
}

/**
 * Decodes base64, with or without padding, or a data: URI. Long texts are decoded in slices, so that they do not block the event loop. Throws
 * `MediaError`.
 */
export async function decodeMedia(text: string): Promise<DecodedMedia> {
  if (!/^data:/i.test(text)) return { slices: await decode(text), type: null };
  const [prefix = '', type = '', parameters = ''] = dataUri.exec(text.slice(0, longestPrefix)) ?? [];
  if (prefix === '') throw new MediaError('is a data: URI without its comma');
  if (!/;base64$/i.test(parameters)) throw new MediaError('is a data: URI that is not base64');
  return { slices: await decode(text.slice(prefix.length)), type: type === '' ? null : type };
}

/** Returns true if the text is a data: URI that declares its media type. No other field has to declare it then. */
export function declaresType(text: string): boolean {
  return /^data:[^,;\s]+[,;]/i.test(text.slice(0, longestPrefix));
}

/** The number of characters to decode before other work may run. Must be a multiple of four. */
const sliceLength = 4 * 1024 * 1024;

async function decode(text: string): Promise<Buffer[]> {
  if (text === '') throw new MediaError('is empty');
  const unpadded = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length;
  const isPadded = unpadded < text.length;
  const slices: Buffer[] = [];
  for (let from = 0; from < unpadded; from += sliceLength) {
    await turn();
    const slice = text.slice(from, Math.min(from + sliceLength, unpadded));
    if (foreign.test(slice)) throw notBase64();
    slices.push(Buffer.from(slice, 'base64'));
  }
  if (unpadded % 4 === 1 || (isPadded && text.length % 4 !== 0)) throw notBase64();
  return slices;
}

function notBase64(): MediaError {
  return new MediaError('is not base64 (A-Z, a-z, 0-9, + and /, in one line)');
}
