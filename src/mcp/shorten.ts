import { visibleText } from './visible-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Limits of a result in characters. */
interface Limits {
  /** The maximum length of the whole result. */
  total: number;
  /** The maximum length of one text. */
  text: number;
}

const shortLimits: Limits = { total: 20_000, text: 2_000 };
const fullLimits: Limits = { total: 100_000, text: 80_000 };

/** Fields for display, which a model has no use for. */
const displayFields = new Set([
  ...['platformUrl', 'profilePicture', 'coverPicture', 'source', 'indices'],
  ...['expanded_url', 'display_url', 'width', 'height'],
]);

/** Never returned, not even with `full`: signatures of deliveries, and secrets, which no action with a tool returns. */
const credentialFields = new Set([
  'request_headers',
  'secret',
  'key',
  'token',
  'auth_token',
  'encryption_code',
  'proxy',
]);

/** The fields of a user inside another object. */
const userFields = ['userName', 'name', 'id'];

/** These fields come first, because a model that reads only the beginning should read the content. */
const firstFields = ['text', 'title', 'content', 'userName', 'name', 'description', 'id'];

export interface Shortened {
  data: unknown;
  /** Describes the omitted and shortened data, such as `1 text was cut at 2000 characters`. Empty if the data is complete. */
  omissions: string[];
}

/** A text may hide so many characters for each visible one. Further ones are not read. */
const hiddenPerVisible = 4;

/**
 * Shortens the data of a call for a model: the text comes first, texts are cut, and fields for display and empty fields are omitted. The
 * length of the result as JSON is limited, with `full` too. Items that do not fit are left out at the end of their list, and are not read.
 */
export function shorten(data: unknown, full: boolean): Shortened {
  const limits = full ? fullLimits : shortLimits;
  const shortener = new Shortener(limits, full);
  const short = withinLength(shortener.whole(data), limits.total);
  const omissions: string[] = [];
  const { cutTexts, isCut } = shortener;
  if (cutTexts > 0)
    omissions.push(`${cutTexts} ${cutTexts === 1 ? 'text was' : 'texts were'} cut at ${limits.text} characters`);
  if (isCut || typeof short !== typeof data) omissions.push('the result was cut');
  for (const [name, kept] of Object.entries(Object(short))) {
    const items = (data as Fields)[name];
    if (Array.isArray(items) && Array.isArray(kept) && kept.length < items.length)
      omissions.push(`${items.length - kept.length} of ${items.length} items of ${name} are left out`);
  }
  return { data: short, omissions };
}

class Shortener {
  cutTexts = 0;
  /** True if something other than an item of a list at the top was left out because of its length. */
  isCut = false;
  readonly #limits: Limits;
  readonly #full: boolean;
  /** The length that the JSON may still have. It is negative after the limit was exceeded. */
  #left: number;

  constructor(limits: Limits, full: boolean) {
    this.#limits = limits;
    this.#full = full;
    this.#left = limits.total;
  }

  /** Shortens the result of a call. Each of its fields may have the maximum length. */
  whole(data: unknown): unknown {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      const short = this.#value(data);
      this.isCut = this.#left < 0;
      return short;
    }
    return this.#object(data as Fields, (given, value) => {
      this.#left = this.#limits.total;
      const short = this.#value(given);
      this.isCut ||= this.#left < 0 && !Array.isArray(value);
      this.#left = 0;
      return short;
    });
  }

  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return this.#list(value);
    this.#left -= 2;
    if (typeof value === 'object' && value !== null) return this.#object(value as Fields);
    return value;
  }

  #text(text: string): string {
    const mostRead = hiddenPerVisible * this.#limits.text;
    const read = text.slice(0, mostRead);
    const visible = visibleText(read);
    this.#left -= Math.max(Math.min(visible.length, this.#limits.text), read.length / hiddenPerVisible) + 2;
    if (visible.length <= this.#limits.text && text.length <= mostRead) return visible;
    this.cutTexts++;
    // The cut may have split an emoji.
    return `${visibleText(visible.slice(0, this.#limits.text))}…`;
  }

  /** Returns the items that are complete. */
  #list(items: readonly unknown[]): unknown[] {
    const kept: unknown[] = [];
    for (const item of items) {
      const short = this.#value(item);
      if (this.#left < 0) break;
      kept.push(short);
    }
    return kept;
  }

  /** `shortOf` shortens the replacement of a value. */
  #object(fields: Fields, shortOf = (given: unknown, _value: unknown) => this.#value(given)): Fields {
    const kept: [string, unknown][] = [];
    for (const [name, value] of Object.entries(fields).sort(([a], [b]) => rank(a) - rank(b))) {
      if (this.#left < 0) break;
      if (credentialFields.has(name)) continue;
      const [shortName, given] = this.#full ? [name, value] : shortField(name, value);
      if (!this.#full && isEmpty(given)) continue;
      this.#left -= shortName.length;
      kept.push([shortName, shortOf(given, value)]);
    }
    return Object.fromEntries(kept);
  }
}

/** Returns the name and the value that replace a field of a short result. Empty fields are left out. */
function shortField(name: string, value: unknown): [string, unknown] {
  if (displayFields.has(name) || isEmpty(value)) return [name, null];
  if (name === 'entities') return ['links', linksOf(value)];
  if (name === 'author') return [name, userOf(value)];
  if (name === 'participants' && Array.isArray(value)) return [name, value.map(userOf)];
  return [name, value];
}

function rank(name: string): number {
  const at = firstFields.indexOf(name);
  return at === -1 ? firstFields.length : at;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return Array.isArray(value) && value.length === 0;
}

function userOf(user: unknown): unknown {
  if (typeof user !== 'object' || user === null) return user;
  return Object.fromEntries(userFields.map((name) => [name, (user as Fields)[name]]));
}

/** Returns the targets of the links in a tweet. */
function linksOf(entities: unknown): string[] {
  const { urls } = entities as { urls?: readonly { expanded_url?: unknown }[] };
  return (urls ?? []).flatMap(({ expanded_url: url }) => (typeof url === 'string' ? [url] : []));
}

/** Leaves out items at the end of the longest list until the JSON text has at most `limit` characters. */
function withinLength(data: unknown, limit: number): unknown {
  const length = JSON.stringify(data)?.length ?? 0;
  if (length <= limit) return data;
  const lists = Object.entries(Object(data)).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 0,
  );
  const lengths = lists.map(([, items]) => JSON.stringify(items).length);
  const longest = lengths.indexOf(Math.max(...lengths));
  const list = lists[longest];
  // The text becomes a JSON string, in which each quotation mark takes two characters.
  if (!list) return JSON.stringify(data).slice(0, limit / 2);
  const [name, items] = list;
  let left = limit - (length - (lengths[longest] ?? 0));
  const kept = items.filter((item) => {
    left -= left < 0 ? 0 : JSON.stringify(item).length + 1;
    return left >= 0;
  });
  return withinLength({ ...(data as Fields), [name]: kept }, limit);
}
