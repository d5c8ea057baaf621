import { fileTypeFromBuffer } from 'file-type';
import type { MediaKind } from '../shared/model/taken-media.ts';
import { isSvg } from './inspect-svg.ts';
import { MediaError } from './media-error.ts';
import { canonicalType, describeKinds, kindOfType } from './types.ts';

/** The number of bytes at the start of a file from which its type is detected. */
export const headBytes = 64 * 1024;

export interface TypeClaim {
  type: string;
  /** Describes the source of the claimed type in messages, such as `the Content-Type of its answer`. */
  by: string;
  /**
   * True if a web server claimed the type. Such a claim is checked only for pictures, videos and audio, because servers
   * often declare wrong types for other files.
   */
  ofServer: boolean;
}

export interface Identity {
  type: string;
  kind: MediaKind;
}

/**
 * Detects the media type from the first bytes. Throws `MediaError` if the bytes contradict a claimed type, or if the
 * type belongs to none of the `accepted` kinds.
 */
export async function identify(
  head: Uint8Array,
  claims: readonly TypeClaim[],
  accepted: readonly MediaKind[],
): Promise<Identity> {
  if (head.length === 0) throw new MediaError('is empty');
  const found = await typeOf(head);
  const counted = claims
    .map((claim) => ({ ...claim, type: canonicalType(claim.type) }))
    .filter(({ type, ofServer }) => type !== 'application/octet-stream' && (!ofServer || isMedia(type)));
  for (const claim of counted) {
    if (claim.type === found || (found === null && !isMedia(claim.type))) continue;
    throw new MediaError(`its bytes are ${found ?? describeUnknown(head)}, not ${claim.type} as ${claim.by} says`);
  }
  const type = found ?? counted[0]?.type ?? 'application/octet-stream';
  const kind = kindOfType(type);
  if (accepted.includes(kind)) return { type, kind };
  if (accepted.includes('file')) return { type, kind: 'file' };
  throw new MediaError(`is ${found ?? describeUnknown(head)}: give ${describeKinds(accepted)}`);
}

function isMedia(type: string): boolean {
  return /^(?:image|video|audio)\//.test(type);
}

async function typeOf(head: Uint8Array): Promise<string | null> {
  if (isSvg(head)) return 'image/svg+xml';
  // For some types, the library throws if the file is truncated or damaged.
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  return found === undefined ? null : canonicalType(found.mime);
}

function describeUnknown(head: Uint8Array): string {
  const text = Buffer.from(head.subarray(0, 1_024)).toString('latin1');
  if (/<!doctype html|<html[\s>]/i.test(text)) return 'an HTML page';
  return 'of no type that is known';
}
