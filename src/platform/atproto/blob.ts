import * as v from '@atcute/lexicons/validations';
import { InvalidResponseError } from '../http/errors.ts';

const uploadSchema = v.object({ blob: v.blob() });
/** The maximum length of a media type: https://www.rfc-editor.org/rfc/rfc6838#section-4.2 */
const maxType = 255;

/** Reads the blob in the response to an upload. It is stored, and becomes a part of records. */
export function readBlob(text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new InvalidResponseError('the response is not JSON');
  }
  const parsed = v.safeParse(uploadSchema, body);
  if (parsed.ok && parsed.value.blob.mimeType.length <= maxType) return parsed.value.blob;
  throw new InvalidResponseError('blob is not a blob');
}
