import { inspect } from 'node:util';

const mask = '[secret]';

/**
 * A value that cannot be printed by accident: logs, errors, JSON, templates and `console` all show `[secret]`.
 * The one way to the value is `expose()`, so that every use can be found by searching for it.
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
