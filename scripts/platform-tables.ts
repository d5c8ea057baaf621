import { actions, streams } from '../src/actions/registry.ts';
import { adapters } from '../src/platform/adapters.ts';
import type { MediaLimits, PlatformCapabilities, TextLimit } from '../src/platform/capabilities.ts';
import { type Endpoint, objectPrices, operations, writePrices, writes } from '../src/platform/x/operations.ts';
import { eventTypes } from '../src/shared/model/event.ts';
import { formatDollars } from '../src/shared/model/money.ts';
import { code, table } from './markdown-table.ts';

const platforms = Object.values(adapters).map(({ capabilities }) => capabilities);
const head = (first: string) => [first, ...platforms.map(({ kind }) => code(kind))];

/** Returns the tables of the adapters' capabilities, for docs/platforms.md. */
export function platformTables(): Record<string, string> {
  return {
    'platform-actions': actionTable(),
    'platform-events': eventTable(),
    'platform-limits': limitTable(),
    'x-requests': requestTable(),
  };
}

function requestTable(): string {
  const row = ({ path, scopes, limit, limitOf }: Endpoint, method: string, price: string) => [
    code(`${method} ${path.replace(/(username\/)?\{\}/g, (_, name = '') => (name ? `${name}{username}` : '{id}'))}`),
    limitOf === 'app' ? 'app-only token' : scopes.map(code).join(', '),
    limit === null
      ? 'not documented'
      : `${count(limit)} for each ${limitOf === 'app' ? 'app, and 1 a second' : 'user token'}`,
    price,
  ];
  const rows = [
    ...Object.values(operations).map((read) => row(read, read.method, priceOf(read.items, objectPrices))),
    ...Object.values(writes).map((write) => row(write, write.method, priceOf(write.price, writePrices))),
  ];
  return table(['request', 'further scopes', 'limit in 15 minutes', 'dollars for each object or write'], rows);
}

function priceOf<Class extends string>(priceClass: Class | null, prices: Readonly<Record<Class, number>>): string {
  return priceClass === null ? 'none listed' : `${code(priceClass)}: ${formatDollars(prices[priceClass])}`;
}

function actionTable(): string {
  const support = ({ name }: { name: string }) => platforms.map((platform) => supportOf(platform, name));
  const rows = [...actions, ...streams]
    .filter(({ actor }) => actor)
    .map((action) => [code(action.name), ...support(action)]);
  return table(head('action'), merged(rows));
}

/** Joins the rows whose cells after the first one are equal. */
function merged(rows: readonly string[][]): string[][] {
  const names = new Map<string, string[]>();
  for (const [name = '', ...cells] of rows) {
    const key = cells.join(' | ');
    names.set(key, [...(names.get(key) ?? []), name]);
  }
  return [...names].map(([cells, joined]) => [joined.join(', '), cells]);
}

function supportOf({ unsupported }: PlatformCapabilities, name: string): string {
  return unsupported[name] === undefined ? 'yes' : `501: ${unsupported[name]}`;
}

function eventTable(): string {
  const rows = eventTypes.map((type) => [
    code(type),
    ...platforms.map((platform) => (platform.eventTypes.includes(type) ? 'yes' : 'no')),
  ]);
  return table(head('event'), merged(rows));
}

function limitTable(): string {
  const kinds = [
    ...new Set(platforms.flatMap(({ limits }) => Object.keys(limits.mediaBytes) as (keyof MediaLimits)[])),
  ];
  const rows = [
    ['length of a tweet', ...platforms.map(({ limits }) => describeText(limits.text))],
    ...kinds.map((kind) => [code(kind), ...platforms.map(({ limits }) => describeBytes(limits.mediaBytes[kind]))]),
  ];
  return table(head('limit'), rows);
}

function describeText({ unit, length, premiumLength, bytes }: TextLimit): string {
  const more = [
    ...(premiumLength === null ? [] : [`${count(premiumLength)} for premium accounts`]),
    ...(bytes === null ? [] : [`${count(bytes)} bytes`]),
  ];
  return [`${count(length)} ${unit.replace('_', ' ')}`, ...more].join(', ');
}

function describeBytes(bytes: number | undefined): string {
  if (bytes === undefined) return '501';
  const mebibytes = bytes / (1024 * 1024);
  return Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${bytes / 1_000_000} MB`;
}

const count = (number: number) => number.toLocaleString('en');
