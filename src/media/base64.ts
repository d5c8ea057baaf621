import { turn } from '../shared/runtime/turns.ts';
import { MediaError } from './media-error.ts';

/** Matches base64 of RFC 4648, section 4, without line breaks. Padding is optional. */
const alphabet = /^[A-Za-z0-9+/]+$/;
const lastSlice = /^[A-Za-z0-9+/]*={0,2}$/;
/** Matches a data: URI (RFC 2397). Only base64 content is accepted. */
const dataUri = /^data:([^,;]*)((?:;[^,;]*)*),/i;
const longestPrefix = 300;

export interface DecodedMedia {
  slices: readonly Buffer[];
  /** The media type declared in a data: URI. `null` for plain base64. */
  type: string | null;
}

/**
 * Decodes base64 or a data: URI. Long texts are decoded in slices, so that they do not block the event loop. Throws
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
  for (let from = 0; from < text.length; from += sliceLength) {
    await turn();
    const slice = text.slice(from, from + sliceLength);
    const isLast = from + sliceLength >= text.length;
    if (!(isLast ? lastSlice : alphabet).test(slice)) throw notBase64();
    slices.push(Buffer.from(slice, 'base64'));
  }
  if (unpadded % 4 === 1 || (isPadded && text.length % 4 !== 0)) throw notBase64();
  return slices;
}

function notBase64(): MediaError {
  return new MediaError('is not base64 (A-Z, a-z, 0-9, + and /, in one line)');
}
