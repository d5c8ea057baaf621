const orientationTag = 0x112;

/** Returns the orientation in a TIFF structure (JEITA CP-3451, section 4.6.4); 1, which is upright, if it has none. */
export function readOrientation(tiff: Buffer): number {
  const isLittle = tiff.toString('latin1', 0, 4) === 'II*\0';
  if (tiff.length < 8 || (!isLittle && tiff.toString('latin1', 0, 4) !== 'MM\0*')) return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.length);
  const directory = view.getUint32(4, isLittle);
  if (directory + 2 > tiff.length) return 1;
  const end = Math.min(directory + 2 + 12 * view.getUint16(directory, isLittle), tiff.length - 11);
  for (let at = directory + 2; at < end; at += 12) {
    if (view.getUint16(at, isLittle) !== orientationTag) continue;
    const orientation = view.getUint16(at + 8, isLittle);
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
  }
  return 1;
}

/** Returns a TIFF structure with an orientation and nothing else. */
export function orientationOnly(orientation: number): Buffer {
  const tiff = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}
