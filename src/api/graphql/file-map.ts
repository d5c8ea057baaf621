import type { ReceivedFile } from '../../media/received-file.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { jsonErrorReason, parseUntrustedJson } from '../../shared/json/untrusted-json.ts';

type Fields = Record<string, unknown>;

/** Inserts the files of a GraphQL multipart request into `operations`, at the paths that `map` lists. */
export class FileMap {
  #operations: Fields | undefined;
  #places: Readonly<Record<string, unknown>> | undefined;
  readonly #came = new Set<string>();

  /** Reads a text part (`operations` or `map`). Throws `bad_input`. */
  read(name: string, text: string): void {
    if (name === 'operations') this.#operations = parse(name, text);
    else if (name === 'map') this.#places = parse(name, text);
    else throw wrong(`has a part ${name} beside operations, map and files`);
  }

  /** Registers the beginning of a file part. Throws `bad_input` if `map` does not list a file of this name. */
  expect(name: string): void {
    if (!this.#operations || !this.#places) throw wrong('must have operations and map before its files');
    if (this.#came.has(name)) throw wrong('has two files with the same name');
    if (!Object.hasOwn(this.#places, name)) throw wrong('has a file that map does not contain');
    this.#came.add(name);
  }

  /** Returns the first path of a file, for error messages. */
  fieldOf(name: string): string {
    return this.#placesOf(name)[0] ?? name;
  }

  put(name: string, file: ReceivedFile): void {
    for (const place of this.#placesOf(name)) this.#set(place, file);
  }

  /**
   * Returns `operations` with all files inserted. Must be called after the whole body was read. Throws `bad_input` if a file is missing.
   */
  operations(): Fields {
    if (!this.#operations) throw wrong('has no operations');
    if (!this.#places) throw wrong('has no map');
    const missing = Object.keys(this.#places).find((name) => !this.#came.has(name));
    if (missing === undefined) return this.#operations;
    throw malformedField(this.fieldOf(missing), 'refers to a file that is not in the request');
  }

  #placesOf(name: string): string[] {
    const places = this.#places?.[name];
    if (Array.isArray(places) && places.length > 0 && places.length <= 10 && places.every(isText)) return places;
    throw malformedField('map', 'must contain a list of paths in operations for each file');
  }

  #set(place: string, file: ReceivedFile): void {
    const [first, ...path] = place.split('.');
    const last = path.pop();
    let at: unknown = first === 'variables' ? this.#operations?.['variables'] : undefined;
    for (const step of path) at = within(at, step);
    if (last === undefined || within(at, last) !== null) {
      throw malformedField('map', 'must contain only paths below variables of operations at which operations has null');
    }
    (at as Fields)[last] = file;
  }
}

function within(value: unknown, step: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Fields)[step]
    : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function parse(name: string, text: string): Fields {
  let value: unknown;
  try {
    value = parseUntrustedJson(text);
  } catch (error) {
    throw malformedField(name, jsonErrorReason(error));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw malformedField(name, 'must be a JSON object with one operation');
}

function wrong(what: string): PosternError {
  return new PosternError('unreadable_body', `The multipart body ${what}`);
}
