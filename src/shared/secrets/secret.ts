import { inspect } from 'node:util';

const mask = '[secret]';

/**
 * A value that cannot be printed by accident, because logs, errors, JSON, templates and `console` show `[secret]`. Only `expose()` returns
 * the value, so every use can be found by a text search.
 */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  expose(): T {
    return this.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [Symbol.toPrimitive](): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}
