/**
 * Serializes a value. Returns `null` if the JSON has more than `limitBytes` bytes. Checks a lower bound of the size
 * first, because a GraphQL response can contain one long text thousands of times.
 */
export function toJson(value: object, limitBytes: number): string | null {
  // A character takes at least one byte, and a value at least two.
  if (!isWithin({ characters: limitBytes, values: limitBytes / 2 }, value)) return null;
  const json = JSON.stringify(value);
  // A UTF-16 code unit has at most three bytes in UTF-8.
  return json.length * 3 <= limitBytes || Buffer.byteLength(json) <= limitBytes ? json : null;
}

interface Size {
  readonly characters: number;
  readonly values: number;
}

/**
 * Returns true if a value has at most the given number of characters and nested values. Stops traversing the value when the limit is
 * exceeded.
 */
export function isWithin({ characters, values }: Size, value: unknown): boolean {
  return covers({ characters, values }, value);
}

/**
 * Subtracts the size of a value from the allowance and returns false if the allowance is exceeded. Runs for every response, so it must be
 * fast: it makes a call for each object and list, but not for each scalar.
 */
function covers(allowance: { characters: number; values: number }, value: unknown): boolean {
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

function isLeft({ characters, values }: Size): boolean {
  return characters >= 0 && values >= 0;
}
