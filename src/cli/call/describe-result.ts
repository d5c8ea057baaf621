import { printable } from '../../shared/model/printable.ts';
import { fitted, padded, paint, table } from '../print.ts';

type Item = Readonly<Record<string, unknown>>;

/** The columns of lists whose items have too many fields for a line. Other lists show all fields of their items. */
const columnsOf: Readonly<Record<string, readonly string[]>> = {
  tweet: ['id', 'createdAt', 'author.userName', 'likeCount', 'text'],
  user: ['id', 'userName', 'followers', 'name', 'description'],
  conversations: ['conversation_id', 'participants', 'last_message.createdAt', 'last_message.text'],
  participants: ['id', 'userName', 'name'],
  messages: ['seq_id', 'createdAt', 'sender_id', 'text'],
  articles: ['article_id', 'status', 'created_at', 'title'],
  webhooks: ['id', 'state', 'events', 'url'],
  deliveries: ['event_id', 'type', 'outcome', 'attempt', 'response_code', 'at', 'error'],
  attempts: ['attempt', 'at', 'outcome', 'response_code', 'duration_ms', 'error'],
  api_keys: ['id', 'prefix', 'last_used_at', 'revoked_at', 'name'],
  connections: ['id', 'status', 'user.userName', 'last_used_at', 'error'],
  audit: ['at', 'action', 'by.type', 'by.key_name', 'subject.id', 'subject.name'],
};

/** Formats a page of a list as a table whose lines fit the terminal. */
export function describeList(name: string, items: readonly Item[], hasHeader = true): string {
  const { columns } = process.stdout as { columns?: number };
  const [first] = items;
  if (!first) return '';
  const shown = columnsOf[first['type'] as string] ?? columnsOf[name] ?? Object.keys(flat(first));
  const rows = items.map((item) => {
    const fields = { ...item, ...flat(item) };
    return shown.map((column) => cell(fields[column]));
  });
  const [header = '', ...lines] = table(shown.map(titleOf), rows).split('\n');
  const cut = (line: string) => (columns ? fitted(line, columns) : line);
  return [...(hasHeader ? [paint('bold', cut(header))] : []), ...lines.map(cut)].join('\n');
}

/** Formats a result: a line for each field, then a table for each list of objects. */
export function describeResult(data: unknown): string {
  if (!isItem(data)) return cell(data);
  const fields = flat(data);
  const width = Math.max(0, ...Object.keys(fields).map((name) => name.length));
  const lines = Object.entries(fields).map(([name, value]) => {
    const text =
      typeof value === 'string'
        ? value
            .split('\n')
            .map(printable)
            .join(`\n${' '.repeat(width + 2)}`)
        : cell(value);
    return `${paint('bold', padded(name, width))}  ${text}`.trimEnd();
  });
  const lists = Object.entries(data).filter(([, value]) => isList(value));
  const tables = lists.map(([name, list]) => `${paint('bold', name)}\n${describeList(name, list as Item[])}`);
  return [...(lines.length > 0 ? [lines.join('\n')] : []), ...tables].join('\n\n');
}

/** `last_message.createdAt` becomes `CREATED AT`. */
function titleOf(column: string): string {
  const name = column.slice(column.lastIndexOf('.') + 1).replaceAll('_', ' ');
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toUpperCase();
}

/** Returns the fields of an object, with those of inner objects as `outer.inner`, and without its own lists of objects. */
function flat(item: Item, prefix = ''): Record<string, unknown> {
  const entries = Object.entries(item).flatMap(([name, value]): [string, unknown][] => {
    if (prefix === '' && isList(value)) return [];
    return isItem(value) ? Object.entries(flat(value, `${prefix}${name}.`)) : [[prefix + name, value]];
  });
  return Object.fromEntries(entries);
}

/** Formats a value on one line. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (isList(value))
    return value.map((item) => cell(item['userName'] ?? item['screen_name'] ?? item['id'] ?? item)).join(',');
  if (Array.isArray(value)) return value.map(cell).join(',');
  return printable((typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/\s+/g, ' '));
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is Item[] {
  return Array.isArray(value) && value.length > 0 && value.every(isItem);
}
