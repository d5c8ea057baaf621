import { fileTypeFromBuffer } from 'file-type';
import type { MediaKind } from '../shared/model/taken-media.ts';
import { isSvg } from './inspect-svg.ts';
import { MediaError } from './media-error.ts';
import { describeKinds, kindOfType, usualType } from './types.ts';

/** So much of the beginning tells what it is. */
export const headBytes = 64 * 1024;

export interface TypeClaim {
  type: string;
  /** For messages: `the Content-Type of its answer`. */
  by: string;
  /** A server's word counts for pictures, videos and sound alone: for all else they say anything. */
  ofServer: boolean;
}

export interface Identity {
  type: string;
  kind: MediaKind;
}

/**
 * What the bytes are that begin like this, and that it agrees with what was claimed and is welcome. Throws `MediaFault`.
 */
export async function identify(
  head: Uint8Array,
  claims: readonly TypeClaim[],
  welcome: readonly MediaKind[],
): Promise<Identity> {
  if (head.length === 0) throw new MediaError('is empty');
  const found = await typeOf(head);
  const counted = claims
    .map((claim) => ({ ...claim, type: usualType(claim.type) }))
    .filter(({ type, ofServer }) => type !== 'application/octet-stream' && (!ofServer || isMedia(type)));
  for (const claim of counted) {
    if (claim.type === found || (found === null && !isMedia(claim.type))) continue;
    throw new MediaError(`its bytes are ${found ?? describeUnknown(head)}, not ${claim.type} as ${claim.by} says`);
  }
  const type = found ?? counted[0]?.type ?? 'application/octet-stream';
  const kind = kindOfType(type);
  if (welcome.includes(kind)) return { type, kind };
  if (welcome.includes('file')) return { type, kind: 'file' };
  throw new MediaError(`is ${found ?? describeUnknown(head)}: give ${describeKinds(welcome)}`);
}

function isMedia(type: string): boolean {
  return /^(?:image|video|audio)\//.test(type);
}

async function typeOf(head: Uint8Array): Promise<string | null> {
  if (isSvg(head)) return 'image/svg+xml';
  // It refuses what is cut short or damaged by throwing, of some types.
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  return found === undefined ? null : usualType(found.mime);
}

function describeUnknown(head: Uint8Array): string {
  const text = Buffer.from(head.subarray(0, 1_024)).toString('latin1');
  if (/<!doctype html|<html[\s>]/i.test(text)) return 'an HTML page';
  return 'of no type that is known';
}
