import type { IncomingMessage } from 'node:http';

/** Status and headers of a response with bytes of a file, and the bytes: from `start` to `end`, both included. */
export interface Ranged {
  readonly status: 200 | 206 | 416;
  readonly headers: Record<string, string | number>;
  readonly start: number;
  readonly end: number;
}

/** RFC 9110, section 14: one range; several, or one that is not understood, are answered with the whole file. */
export function ranged({ headers: { range } }: Pick<IncomingMessage, 'headers'>, size: number): Ranged {
  const accepts = { 'accept-ranges': 'bytes' };
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? [];
  if (first === '' && last === '') {
    return { status: 200, headers: { ...accepts, 'content-length': size }, start: 0, end: size - 1 };
  }
  const [start, end] =
    first === ''
      ? [Math.max(0, size - Number(last)), size - 1]
      : [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (start > end) {
    const headers = { ...accepts, 'content-range': `bytes */${size}`, 'content-length': 0 };
    return { status: 416, headers, start: 0, end: -1 };
  }
  const headers = {
    ...accepts,
    'content-length': end - start + 1,
    'content-range': `bytes ${start}-${end}/${size}`,
  };
  return { status: 206, headers, start, end };
}
