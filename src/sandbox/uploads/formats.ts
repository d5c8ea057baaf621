export interface Format {
  readonly type: string;
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

const formats: Readonly<Record<string, Omit<Format, 'type'>>> = {
  'image/jpeg': { kind: 'photo', extension: 'jpg', maxBytes: 5 * MiB, matchesHead: hasText(0, '\xff\xd8\xff') },
  'image/png': { kind: 'photo', extension: 'png', maxBytes: 5 * MiB, matchesHead: hasText(0, '\x89PNG\r\n\x1a\n') },
  'image/webp': { kind: 'photo', extension: 'webp', maxBytes: 5 * MiB, matchesHead: hasText(8, 'WEBP') },
  'image/gif': { kind: 'animated_gif', extension: 'gif', maxBytes: 15 * MiB, matchesHead: hasText(0, 'GIF8') },
  'video/mp4': { kind: 'video', extension: 'mp4', maxBytes: 512 * MiB, matchesHead: isIsoMedia },
  'video/quicktime': { kind: 'video', extension: 'mov', maxBytes: 512 * MiB, matchesHead: isIsoMedia },
};

/** Returns the format of a media type. */
export function formatOf(type: string): Format | undefined {
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined;
  return format && { type, ...format };
}

/** Returns the format of the picture that begins with these bytes. */
export function pictureFormatOf(head: Buffer): Format | undefined {
  const type = Object.keys(formats).find((each) => each.startsWith('image/') && formats[each]?.matchesHead(head));
  return type === undefined ? undefined : formatOf(type);
}

export function typeOfExtension(extension: string): string {
  return Object.keys(formats).find((type) => formats[type]?.extension === extension) ?? 'application/octet-stream';
}
