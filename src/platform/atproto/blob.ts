import { InvalidResponseError } from '../http/errors.ts';

/** Reads the blob in the response to an upload. */
export function readBlob(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new InvalidResponseError('the response is not JSON');
  }
  const blob = (body as { blob?: { $type?: unknown; ref?: { $link?: unknown } } } | null)?.blob;
  if (blob?.$type === 'blob' && typeof blob.ref?.$link === 'string') return blob;
  throw new InvalidResponseError('blob is not a blob');
}
