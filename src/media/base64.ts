import { MediaError } from './media-error.ts';

/** The alphabet of RFC 4648 section 4, without line breaks, with its padding or without. */
const alphabet = /^[A-Za-z0-9+/]+={0,2}$/;
/** RFC 2397; media is always base64 here. */
const dataUri = /^data:([^,;]*)((?:;[^,;]*)*),/i;
const longestPrefix = 300;

export interface Decoded {
  bytes: Buffer;
  /** As the data: URI says. */
  type: string | null;
}

/** Throws `MediaFault`. */
export function decodeMedia(text: string): Decoded {
  if (!/^data:/i.test(text)) return { bytes: decode(text), type: null };
  const [prefix = '', type = '', parameters = ''] = dataUri.exec(text.slice(0, longestPrefix)) ?? [];
  if (prefix === '') throw new MediaError('is a data: URI without its comma');
  if (!/;base64$/i.test(parameters)) throw new MediaError('is a data: URI that is not base64');
  return { bytes: decode(text.slice(prefix.length)), type: type === '' ? null : type };
}

/** Whether this is a data: URI that says its type, which needs no other. */
export function saysItsType(text: string): boolean {
  return /^data:[^,;\s]+[,;]/i.test(text.slice(0, longestPrefix));
}

function decode(text: string): Buffer {
  if (text === '') throw new MediaError('is empty');
  const unpadded = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length;
  const isPadded = unpadded < text.length;
  if (!alphabet.test(text) || unpadded % 4 === 1 || (isPadded && text.length % 4 !== 0)) {
    throw new MediaError('is not base64 (A-Z, a-z, 0-9, + and /, in one line)');
  }
  return Buffer.from(text, 'base64');
}
