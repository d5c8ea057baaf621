import ipaddr from 'ipaddr.js';
import { parseDollars } from '../model/money.ts';
import { weaknessOf } from '../secrets/weak-key.ts';

/** Returns the value of a setting's text, or a string that completes "<NAME> …" and says what is wrong. */
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

export function dollars(text: string) {
  const value = parseDollars(text);
  return value === null || value === 0 ? 'is not an amount of dollars, with six decimals at most' : { value };
}

export function httpOrigin(text: string) {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'is not an http or https address';
  if (url.username || url.password) return 'must not carry a user name or password';
  if (url.pathname !== '/' || url.search || url.hash) return 'must be an origin alone, without a path';
  return { value: url.origin };
}

export function mongodbUrl(text: string) {
  return /^mongodb(\+srv)?:\/\/[^/\s]+(\/\S*)?$/.test(text)
    ? { value: text }
    : 'is not a connection string, mongodb:// or mongodb+srv:// with at least one host';
}

export function publicUrl(text: string) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password;
  return isPlain
    ? { value: url.href.replace(/\/+$/, '') }
    : 'is not an http:// or https:// address without a query and credentials';
}

export function keys32(text: string) {
  const parts = text.split(',').map((part) => part.trim());
  // The text is checked because Node ignores characters that are not base64: a damaged key would silently become another key.
  if (!parts.every((part) => /^[A-Za-z0-9+/]{43}=$/.test(part))) {
    return 'is not 32 bytes in base64 (or several keys, separated by commas)';
  }
  const value = parts.map((part) => Buffer.from(part, 'base64'));
  // Only the first key encrypts. A weak key after it may still decrypt, so that it can be replaced.
  const weakness = weaknessOf(value[0] as Buffer);
  return weakness === null ? { value } : `is a weak key: ${weakness}`;
}

export function cidrBlocks(text: string) {
  const blocks = text.split(',').map((part) => part.trim());
  const fault = blocks.map(blockFault).find((found) => found !== null);
  return fault ? `is not a list of CIDR blocks: ${fault}` : { value: blocks };
}

function blockFault(block: string): string | null {
  const family = block.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
  const isBlock = family === ipaddr.IPv6 ? family.isValidCIDR(block) : ipaddr.IPv4.isValidCIDRFourPartDecimal(block);
  if (!isBlock) return `${JSON.stringify(block)} is none`;
  const [address, bits] = ipaddr.parseCIDR(block);
  const network = family.networkAddressFromCIDR(block).toString();
  // 10.1.2.3/8 would open 16 million addresses when its author probably meant one.
  return address.toString() === network ? null : `${block} has bits beyond its prefix; the block is ${network}/${bits}`;
}
