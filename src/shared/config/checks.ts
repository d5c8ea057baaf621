import { cidrProblem } from '../model/ip-range.ts';
import { parseDollars } from '../model/money.ts';
import { parseUrl } from '../model/parse-url.ts';
import { weaknessOf } from '../secrets/weak-key.ts';

/** Parses the text of a setting. Returns its value, or an error as a string that completes the sentence "<NAME> …". */
export type Check<T> = (text: string) => { value: T } | string;

export function wholeNumber(from: number, to: number) {
  return (text: string) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= from && value <= to ? { value } : `is not a whole number from ${from} to ${to}`;
  };
}

export function choice<const T extends string>(...choices: readonly T[]) {
  return (text: string) => {
    const value = choices.find((known) => known === text);
    return value === undefined ? `is not one of ${choices.join(', ')}` : { value };
  };
}

export function onOff(text: string) {
  if (['1', 'true', 'on', 'yes'].includes(text.toLowerCase())) return { value: true };
  if (['0', 'false', 'off', 'no'].includes(text.toLowerCase())) return { value: false };
  return 'is neither 1 (on) nor 0 (off)';
}

export function dollarAmount(text: string) {
  const value = parseDollars(text);
  return value === null || value === 0 ? 'is not an amount of dollars, with six decimals at most' : { value };
}

const originOf = (schemes: readonly [string, string]) => (text: string) => {
  const url = parseUrl(text);
  if (!url || !schemes.some((scheme) => url.protocol === `${scheme}:`))
    return `is not an ${schemes.join(' or ')} address`;
  if (url.username || url.password) return 'must not carry a user name or password';
  if (url.pathname !== '/' || url.search || url.hash) return 'must be an origin alone, without a path';
  return { value: url.origin };
};

export const httpOrigin = originOf(['http', 'https']);
export const webSocketOrigin = originOf(['ws', 'wss']);

const mostOrigins = 100;

/** Reads the origins of web pages. A `*` is refused, because URL parsers accept it as a part of a host name. */
export function webOrigins(text: string) {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > mostOrigins) return `has more than ${mostOrigins} origins`;
  const origins = new Set<string>();
  for (const [index, part] of parts.entries()) {
    const checked = part.includes('*') ? 'has a *' : httpOrigin(part);
    if (typeof checked === 'string') {
      return `is not a list of origins, which have http or https, a host and an optional port: number ${index + 1} ${checked}`;
    }
    origins.add(checked.value);
  }
  return { value: [...origins] };
}

export function mongodbUrl(text: string) {
  return /^mongodb(\+srv)?:\/\/[^/\s]+(\/\S*)?$/.test(text)
    ? { value: text }
    : 'is not a connection string, mongodb:// or mongodb+srv:// with at least one host';
}

export function publicUrl(text: string) {
  const url = parseUrl(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password;
  return isPlain
    ? { value: url.href.replace(/\/+$/, '') }
    : 'is not an http:// or https:// address without a query and credentials';
}

export function keys32(text: string) {
  const parts = text.split(',').map((part) => part.trim());
  // The text is validated here, because Node ignores characters that are not base64, so a damaged key would silently become another key.
  if (!parts.every((part) => /^[A-Za-z0-9+/]{43}=$/.test(part))) {
    return 'is not 32 bytes in base64 (or several keys, separated by commas)';
  }
  const value = parts.map((part) => Buffer.from(part, 'base64'));
  // Only the first key encrypts. The other keys only decrypt, so a weak key is allowed among them until it is replaced.
  const weakness = weaknessOf(value[0] as Buffer);
  return weakness === null ? { value } : `is a weak key: ${weakness}`;
}

export function cidrBlocks(text: string) {
  const blocks = text.split(',').map((part) => part.trim());
  const problem = blocks.map(cidrProblem).find((found) => found !== null);
  return problem ? `is not a list of CIDR blocks: ${problem}` : { value: blocks };
}
