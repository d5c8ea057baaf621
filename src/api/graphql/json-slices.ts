import { setImmediate as nextTurn } from 'node:timers/promises';

interface Size {
  readonly characters: number;
  readonly values: number;
}

/** The largest part that is serialized without a pause. Measured: 1 ms. */
const slice: Size = { characters: 65_536, values: 4_096 };
/** How long one slice may keep the event loop. */
const sliceMs = 10;

/**
 * Returns the JSON of a value, as UTF-8, or `null` if it would be longer than `limit` bytes. A large value is serialized in slices,
 * so that other requests can run in between.
 */
export async function toJson(value: unknown, limit: number): Promise<Buffer | null> {
  if (isSmall(value)) {
    const whole = Buffer.from(JSON.stringify(value));
    return whole.length > limit ? null : whole;
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
export function isSmall(value: unknown, size = slice): boolean {
  return new Allowance(size).covers(value);
}

class Allowance {
  #characters: number;
  #values: number;

  constructor({ characters, values }: Size) {
    this.#characters = characters;
    this.#values = values;
  }

  covers(value: unknown): boolean {
    if (--this.#values < 0) return false;
    if (typeof value === 'string') {
      this.#characters -= value.length;
      return this.#characters >= 0;
    }
    if (typeof value !== 'object' || value === null) return true;
    if (Array.isArray(value)) return value.every((item) => this.covers(item));
    for (const key in value) {
      this.#characters -= key.length;
      if (!this.covers((value as Record<string, unknown>)[key])) return false;
    }
    return true;
  }
}
