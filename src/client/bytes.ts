/** A file: its bytes, or text in base64. The media type of a `Blob` is sent with it. */
export type Bytes = string | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>;

/** The largest file in bytes whose base64 fits into the largest body that the service accepts. Larger files are sent by their URL. */
const mostBytes = 17 * 1024 * 1024;
/** The number of bytes that are encoded at a time. It is a multiple of 3, so that the texts can be joined. */
const bytesAtOnce = 24_576;

/**
 * Returns a file as base64, or as a `data:` URI if its media type is known. Throws `RangeError` if it is too large. Detects the type
 * of an object by its properties, because some test environments replace the classes.
 */
export async function base64Of(file: Exclude<Bytes, string>): Promise<string> {
  if ('getReader' in file) return encoded(await readAll(file));
  if (ArrayBuffer.isView(file)) return encoded(new Uint8Array(file.buffer, file.byteOffset, file.byteLength));
  if ('byteLength' in file) return encoded(new Uint8Array(file));
  if (!('arrayBuffer' in file)) throw new TypeError('A file must be a string, a Blob, bytes or a stream');
  requireSize(file.size);
  const text = encoded(new Uint8Array(await file.arrayBuffer()));
  return file.type === '' ? text : `data:${file.type};base64,${text}`;
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.length;
      requireSize(size);
      chunks.push(read.value);
    }
  } catch (error) {
    await reader.cancel(error).catch(() => {});
    throw error;
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function encoded(bytes: Uint8Array): string {
  requireSize(bytes.length);
  let text = '';
  for (let at = 0; at < bytes.length; at += bytesAtOnce)
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + bytesAtOnce)));
  return text;
}

function requireSize(size: number): void {
  if (size > mostBytes) throw new RangeError(`The file is larger than ${mostBytes} bytes: send it by its URL`);
}
