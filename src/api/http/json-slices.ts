import { setImmediate as nextTurn } from 'node:timers/promises';

interface Size {
  readonly characters: number;
  readonly values: number;
}

/** The maximum size of a value that is serialized without a pause. Measured: 1 ms. */
const slice: Size = { characters: 65_536, values: 4_096 };
/** The maximum time in milliseconds for which one slice may block the event loop. */
const sliceMs = 10;
/** A UTF-16 code unit has at most this many bytes in UTF-8. */
const maxBytesOfCharacter = 3;

/**
 * Serializes a value as JSON. Returns `null` if the JSON is longer than `limit` bytes. Large values are serialized in slices, so that other
 * requests can run in between, and are returned as UTF-8 bytes in a promise.
 */
export function toJson(value: unknown, limit: number): string | null | Promise<Buffer | null> {
  if (!isSmall(value)) return inSlices(value, limit);
  const whole = JSON.stringify(value);
  const isShort = whole.length * maxBytesOfCharacter <= limit || Buffer.byteLength(whole) <= limit;
  return isShort ? whole : null;
}

async function inSlices(value: unknown, limit: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let text = '';
  let bytes = 0;
  let since = performance.now();
  for (const part of partsOf(value)) {
    text += part;
    if (text.length < slice.characters) continue;
    const chunk = Buffer.from(text);
    text = '';
    bytes += chunk.length;
    if (bytes > limit) return null;
    chunks.push(chunk);
    if (performance.now() - since < sliceMs) continue;
    await nextTurn();
    since = performance.now();
  }
  chunks.push(Buffer.from(text));
  const whole = Buffer.concat(chunks);
  return whole.length > limit ? null : whole;
}

function* partsOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value || isSmall(value)) yield JSON.stringify(value);
  else if (Array.isArray(value)) {
    let before = '[';
    for (const item of value) {
      yield before;
      yield* partsOf(item ?? null);
      before = ',';
    }
    yield value.length > 0 ? ']' : '[]';
  } else {
    let before = '{';
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* partsOf(item);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  }
}

/**
 * Returns true if a value has at most the given number of characters and nested values. Stops traversing the value when the limit is
 * exceeded.
 */
export function isSmall(value: unknown, { characters, values }: Size = slice): boolean {
  const allowance: Allowance = { characters, values: values - 1 };
  return allowance.values >= 0 && covers(allowance, value);
}

interface Allowance {
  characters: number;
  values: number;
}

/**
 * Subtracts the size of a value from the allowance and returns false if the allowance is exceeded. Runs for every response, so it must be
 * fast: it makes a call for each object and list, but not for each scalar.
 */
function covers(allowance: Allowance, value: unknown): boolean {
  if (typeof value === 'string') allowance.characters -= value.length;
  if (typeof value !== 'object' || value === null) return isLeft(allowance);
  if (Array.isArray(value)) {
    allowance.values -= value.length;
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === 'string') allowance.characters -= item.length;
      else if (typeof item === 'object' && item !== null && !covers(allowance, item)) return false;
      if (!isLeft(allowance)) return false;
    }
  } else {
    for (const key in value) {
      const item = (value as Record<string, unknown>)[key];
      allowance.characters -= key.length;
      allowance.values--;
      if (typeof item === 'string') allowance.characters -= item.length;
      else if (typeof item === 'object' && item !== null && !covers(allowance, item)) return false;
      if (!isLeft(allowance)) return false;
    }
  }
  return isLeft(allowance);
}

function isLeft({ characters, values }: Allowance): boolean {
  return characters >= 0 && values >= 0;
}
