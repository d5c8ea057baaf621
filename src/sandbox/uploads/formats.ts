import { Problem } from '../http/problem.ts';

export interface Format {
  readonly kind: 'photo' | 'animated_gif' | 'video';
  /** The extension of the stored file. */
  readonly extension: string;
  readonly maxBytes: number;
  /** Returns true if the first bytes of a file match the format. */
  readonly matchesHead: (head: Buffer) => boolean;
}

const MiB = 1024 * 1024;
const hasText = (at: number, text: string) => (head: Buffer) => head.toString('latin1', at, at + text.length) === text;
const isIsoMedia = (head: Buffer) =>
  ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip'].some((box) => hasText(4, box)(head));

const formats: Readonly<Record<string, Format>> = {
  'image/jpeg': { kind: 'photo', extension: 'jpg', maxBytes: 5 * MiB, matchesHead: hasText(0, '\xff\xd8\xff') },
  'image/png': { kind: 'photo', extension: 'png', maxBytes: 5 * MiB, matchesHead: hasText(0, '\x89PNG\r\n\x1a\n') },
  'image/webp': { kind: 'photo', extension: 'webp', maxBytes: 5 * MiB, matchesHead: hasText(8, 'WEBP') },
  'image/gif': { kind: 'animated_gif', extension: 'gif', maxBytes: 15 * MiB, matchesHead: hasText(0, 'GIF8') },
  'video/mp4': { kind: 'video', extension: 'mp4', maxBytes: 512 * MiB, matchesHead: isIsoMedia },
  'video/quicktime': { kind: 'video', extension: 'mov', maxBytes: 512 * MiB, matchesHead: isIsoMedia },
};

export function formatOf(contentType: string | string[] | undefined): Format {
  const type =
    String(contentType ?? '')
      .split(';', 1)[0]
      ?.trim()
      .toLowerCase() ?? '';
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined;
  if (format === undefined) {
    throw new Problem(415, 'media_refused', `Content-Type must be one of ${Object.keys(formats).join(', ')}`);
  }
  return format;
}

export function typeOfExtension(extension: string): string {
  return Object.keys(formats).find((type) => formats[type]?.extension === extension) ?? 'application/octet-stream';
}
