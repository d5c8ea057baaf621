import { Problem } from '../http/problem.ts';

export interface Format {
  readonly kind: 'photo' | 'animated_gif' | 'video';
  /** Of the file that it becomes. */
  readonly extension: string;
  readonly mostBytes: number;
  /** Whether a file that begins like this can be one. */
  readonly begins: (head: Buffer) => boolean;
}

const MiB = 1024 * 1024;
const says = (at: number, text: string) => (head: Buffer) => head.toString('latin1', at, at + text.length) === text;
const isIsoMedia = (head: Buffer) => ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip'].some((box) => says(4, box)(head));

const formats: Readonly<Record<string, Format>> = {
  'image/jpeg': { kind: 'photo', extension: 'jpg', mostBytes: 5 * MiB, begins: says(0, '\xff\xd8\xff') },
  'image/png': { kind: 'photo', extension: 'png', mostBytes: 5 * MiB, begins: says(0, '\x89PNG\r\n\x1a\n') },
  'image/webp': { kind: 'photo', extension: 'webp', mostBytes: 5 * MiB, begins: says(8, 'WEBP') },
  'image/gif': { kind: 'animated_gif', extension: 'gif', mostBytes: 15 * MiB, begins: says(0, 'GIF8') },
  'video/mp4': { kind: 'video', extension: 'mp4', mostBytes: 512 * MiB, begins: isIsoMedia },
  'video/quicktime': { kind: 'video', extension: 'mov', mostBytes: 512 * MiB, begins: isIsoMedia },
};

export function formatOf(contentType: string | string[] | undefined): Format {
  const type =
    String(contentType ?? '')
      .split(';', 1)[0]
      ?.trim()
      .toLowerCase() ?? '';
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined;
  if (format === undefined) {
    throw new Problem(415, 'media_refused', `Give one of ${Object.keys(formats).join(', ')} as Content-Type`);
  }
  return format;
}

export function typeOfExtension(extension: string): string {
  return Object.keys(formats).find((type) => formats[type]?.extension === extension) ?? 'application/octet-stream';
}
