/** Returns pieces of many lengths, none of which is the length of a chunk. */
export function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  let length = 1;
  for (let start = 0; start < bytes.length; start += length) {
    length = (length * 7) % 3_001;
    yield bytes.subarray(start, start + length);
  }
}

export async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
