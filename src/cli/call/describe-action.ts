import { Help } from 'commander';
import type { Action } from '../../actions/action.ts';
import { operationDescription, tagOf } from '../../actions/action-text.ts';
import { formatDollars } from '../../shared/model/money.ts';
import { paint } from '../print.ts';
import { type Field, fieldsOf } from './fields.ts';

/** Lists actions by group, each with its summary and price. */
export function describeActions(actions: readonly Action[]): string {
  const width = Math.max(...actions.map(({ name }) => name.length));
  const groups = [...new Set(actions.map(tagOf))].map((tag) => {
    const lines = actions
      .filter((action) => tagOf(action) === tag)
      .map(({ name, summary, price }) => `  ${name.padEnd(width)}  ${summary}${price === 0 ? ' (free)' : ''}`);
    return `${paint('bold', tag)}\n${lines.join('\n')}`;
  });
  const prices = [...new Set(actions.map(({ price }) => price))].filter((price) => price > 0).sort((a, b) => a - b);
  return `${groups.join('\n\n')}\n\nA call costs ${prices.map(formatDollars).join(', ')} dollars or nothing: \`postern call ACTION --help\` has its price.`;
}

/** Describes an action with its fields, price and an example. */
export function describeAction(action: Action): string {
  const fields = fieldsOf(action);
  const help = new Help();
  help.helpWidth = Math.min(process.stdout.columns ?? 100, 120);
  const nameWidth = Math.max(0, ...fields.map(({ name }) => name.length));
  const terms = fields.map((field) => `${field.name.padEnd(nameWidth)}  ${typeText(field)}`);
  const width = Math.max(0, ...terms.map((term) => term.length));
  const lines = fields.map((field, at) => help.formatItem(terms[at] ?? '', width, aboutField(field), help));
  return [
    `${paint('bold', action.name)}: ${action.summary}`,
    help.boxWrap(operationDescription(action).replaceAll('`', ''), help.helpWidth),
    fields.length === 0 ? 'It has no fields.' : `Fields:\n${lines.join('\n')}`,
    `Example:\n  postern call ${[action.name, ...exampleOf(action, fields)].join(' ')}`,
  ].join('\n\n');
}

function typeText({ type, values }: Field): string {
  if (type === 'list') return values.length > 0 && values.length < 5 ? `list of ${values.join('|')}` : 'list';
  if (values.length > 0) return values.join('|');
  return type === 'boolean' ? 'true|false' : type === 'file' ? '@file' : type;
}

function aboutField({ required, description, default: fallback, type, values }: Field): string {
  return [
    ...(required ? ['Required.'] : []),
    description.replaceAll('`', ''),
    ...(type === 'list' && values.length > 4 ? [`Values: ${values.join(', ')}.`] : []),
    ...(fallback === undefined ? [] : [`Default: ${fallback}.`]),
  ].join(' ');
}

function exampleOf(action: Action, fields: readonly Field[]): string[] {
  const files = fields.filter(({ type }) => type === 'file').map(({ name }) => name);
  return Object.entries(action.example).map(([name, value]) => {
    if (files.includes(name)) return `${name}@picture.png`;
    if (typeof value === 'string' && value.includes('\n')) return `${name}@text.md`;
    return `${name}=${quoted(typeof value === 'string' ? value : JSON.stringify(value))}`;
  });
}

/** Quotes an argument for a shell if this is needed. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
