import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { readServer } from './dns-client.ts';
import { maxAddresses } from './dns-message.ts';

/** The maximum length of a file. The rest of a longer one is ignored. */
const maxLength = 16 * 1024 * 1024;
const checkMs = 1_000;

/**
 * A file that is parsed again when it has changed, which is checked at most once a second. A missing file is an empty one. The file is read
 * synchronously, because operations that take microseconds need no thread of libuv's pool, which slow operations of others may occupy.
 */
export class WatchedFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  readonly #runtime: Pick<Runtime, 'now'>;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #version = '';
  #content: T;

  constructor(path: string, parse: (text: string) => T, runtime: Pick<Runtime, 'now'>) {
    this.#path = path;
    this.#parse = parse;
    this.#runtime = runtime;
    this.#content = parse('');
  }

  read(): T {
    const now = this.#runtime.now();
    // The clock may have been set back.
    if (Math.abs(now - this.#checkedAt) < checkMs) return this.#content;
    this.#checkedAt = now;
    try {
      const { mtimeMs, ctimeMs, size, ino } = statSync(this.#path);
      const version = [mtimeMs, ctimeMs, size, ino].join();
      if (version === this.#version) return this.#content;
      this.#content = this.#parse(readFileSync(this.#path, 'utf8').slice(0, maxLength));
      this.#version = version;
    } catch {
      this.#content = this.#parse('');
      this.#version = '';
    }
    return this.#content;
  }
}

/** Returns the addresses of each name in a hosts file (`hosts(5)`), in lower case. */
export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const addresses = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map((spelled) => spelled.toLowerCase().replace(/\.$/, ''))) {
      const known = addresses.get(name);
      if (!known) addresses.set(name, [address]);
      else if (known.length < maxAddresses) known.push(address);
    }
  }
  return addresses;
}

/** The settings of `resolv.conf(5)` that name look-ups use. */
export interface ResolvConf {
  readonly servers: readonly string[];
  readonly search: readonly string[];
  /** The number of dots from which on a name is looked up without a search domain first. */
  readonly ndots: number;
}

export function parseResolvConf(text: string): ResolvConf {
  const servers: string[] = [];
  let search: string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [keyword = '', ...values] = line.trim().split(/\s+/);
    const [first = ''] = values;
    if (keyword === 'nameserver' && readServer(first)) servers.push(first);
    // The last line of either kind counts. `.` is the root, where every name is looked up anyway.
    if (keyword === 'search') search = values.filter((domain) => domain !== '.');
    if (keyword === 'domain') search = [first];
    for (const option of keyword === 'options' ? values : []) {
      const given = /^ndots:(\d+)$/.exec(option)?.[1];
      if (given !== undefined) ndots = Math.min(15, Number(given));
    }
  }
  return { servers, search, ndots };
}

/** Returns the absolute names to look up for a name, in order. */
export function candidatesOf(name: string, { search, ndots }: ResolvConf): readonly string[] {
  if (name.endsWith('.')) return [name];
  const searched = search.map((domain) => `${name}.${domain}`);
  return name.split('.').length > ndots ? [name, ...searched] : [...searched, name];
}
