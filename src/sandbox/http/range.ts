import type { IncomingMessage } from 'node:http';

/**
 * The status and headers of a response to a range request, and the byte positions of the range. `start` and `end` are
 * inclusive.
 */
export interface ResolvedRange {
  readonly status: 200 | 206 | 416;
  readonly headers: Record<string, string | number>;
  readonly start: number;
  readonly end: number;
}

/**
 * Evaluates a Range header (RFC 9110, section 14). A header with several ranges or an invalid one is ignored, so the
 * response has the whole file.
 */
export function resolveRange({ headers: { range } }: Pick<IncomingMessage, 'headers'>, size: number): ResolvedRange {
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
