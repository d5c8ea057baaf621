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
  /** Describes what was left out or cut, such as `1 text was cut at 2000 characters`. Empty if the data is complete. */
  omissions: string[];
}

/**
 * Shortens the data of a call for a model: the text comes first, texts are cut, and fields for display and empty fields are left out. The
 * length of the result as JSON is limited, with `full` too. Items that do not fit are left out at the end of their list.
 */
export function shorten(data: unknown, full: boolean): Shortened {
  const limits = full ? fullLimits : shortLimits;
  const shortener = new Shortener(limits, full);
  const kept = shortener.value(data);
  const omissions: string[] = [];
  const { cutTexts } = shortener;
  if (cutTexts > 0)
    omissions.push(`${cutTexts} ${cutTexts === 1 ? 'text was' : 'texts were'} cut at ${limits.text} characters`);
  const fitted = withinLength(kept, limits.total, omissions);
  return { data: fitted, omissions };
}

class Shortener {
  cutTexts = 0;
  readonly #limits: Limits;
  readonly #full: boolean;

  constructor(limits: Limits, full: boolean) {
    this.#limits = limits;
    this.#full = full;
  }

  value(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value === 'object' && value !== null) return this.#object(value as Fields);
    return value;
  }

  #text(text: string): string {
    const visible = visibleText(text);
    if (visible.length <= this.#limits.text) return visible;
    this.cutTexts++;
    // The cut may have split an emoji.
    return `${visibleText(visible.slice(0, this.#limits.text))}…`;
  }

  #object(fields: Fields): Fields {
    const kept: [string, unknown][] = [];
    for (const [name, value] of Object.entries(fields)) {
      if (credentialFields.has(name)) continue;
      if (this.#full) kept.push([name, this.value(value)]);
      else kept.push(...this.#shortField(name, value));
    }
    return Object.fromEntries(kept.sort(([a], [b]) => rank(a) - rank(b)));
  }

  #shortField(name: string, value: unknown): [string, unknown][] {
    if (displayFields.has(name) || isEmpty(value)) return [];
    if (name === 'entities') {
      const links = linksOf(value).map((link) => this.#text(link));
      return links.length > 0 ? [['links', links]] : [];
    }
    if (name === 'author') return [[name, this.value(userOf(value))]];
    if (name === 'participants' && Array.isArray(value)) return [[name, this.value(value.map(userOf))]];
    return [[name, this.value(value)]];
  }
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
function withinLength(data: unknown, limit: number, omissions: string[]): unknown {
  const length = JSON.stringify(data)?.length ?? 0;
  if (length <= limit) return data;
  const lists = Object.entries(Object(data)).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].length > 0,
  );
  const lengths = lists.map(([, items]) => JSON.stringify(items).length);
  const longest = lengths.indexOf(Math.max(...lengths));
  const list = lists[longest];
  if (!list) {
    omissions.push('the result was cut');
    // The text becomes a JSON string, in which each quotation mark takes two characters.
    return JSON.stringify(data).slice(0, limit / 2);
  }
  const [name, items] = list;
  let left = limit - (length - (lengths[longest] ?? 0));
  const kept = items.filter((item) => {
    left -= left < 0 ? 0 : JSON.stringify(item).length + 1;
    return left >= 0;
  });
  omissions.push(`${items.length - kept.length} of ${items.length} items of ${name} are left out`);
  return withinLength({ ...(data as Fields), [name]: kept }, limit, omissions);
}
