import { setImmediate as nextTurn } from 'node:timers/promises';

interface Size {
  readonly characters: number;
  readonly values: number;
}

/** The largest part that is serialized without a pause. Measured: 1 ms. */
const slice: Size = { characters: 65_536, values: 4_096 };
/** How long one slice may keep the event loop. */
const sliceMs = 10;
/** The largest number of UTF-8 bytes for one UTF-16 code unit. */
const maxBytesOfCharacter = 3;

/**
 * Returns the JSON of a value, or `null` if it would be longer than `limit` bytes. A large value is serialized in slices,
 * so that other requests can run in between, and returned as UTF-8.
 */
export async function toJson(value: unknown, limit: number): Promise<string | Buffer | null> {
  if (isSmall(value)) {
    const whole = JSON.stringify(value);
    const isShort = whole.length * maxBytesOfCharacter <= limit || Buffer.byteLength(whole) <= limit;
    return isShort ? whole : null;
  }
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

/** True for a value with at most the characters and values of `size`. Stops reading it beyond them. */
export function isSmall(value: unknown, { characters, values }: Size = slice): boolean {
  const allowance: Allowance = { characters, values: values - 1 };
  return allowance.values >= 0 && covers(allowance, value);
}

interface Allowance {
  characters: number;
  values: number;
}

/** Takes a value from the allowance; the value itself was counted where it was found. Every response is read by this. */
function covers(allowance: Allowance, value: unknown): boolean {
  if (typeof value === 'string') allowance.characters -= value.length;
  else if (Array.isArray(value)) {
    allowance.values -= value.length;
    for (let i = 0; i < value.length && isLeft(allowance); i++) {
      if (isLarge(value[i]) && !covers(allowance, value[i])) return false;
    }
  } else if (isLarge(value)) {
    for (const key in value as object) {
      const item = (value as Record<string, unknown>)[key];
      allowance.characters -= key.length;
      allowance.values--;
      if (!isLeft(allowance) || (isLarge(item) && !covers(allowance, item))) return false;
    }
  }
  return isLeft(allowance);
}

/** False for a value without characters or parts to count. */
function isLarge(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

function isLeft({ characters, values }: Allowance): boolean {
  return characters >= 0 && values >= 0;
}
