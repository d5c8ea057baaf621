import { z } from 'zod';
import { flatPrice } from '../dist/actions/action.js';
import { alternativesOf } from '../dist/actions/input/input.js';
import { actions, streams } from '../dist/actions/registry.js';
import { formatDollars } from '../dist/shared/model/money.js';
import { code, table } from './markdown-table.js';
import { returnedFields } from './shape-tables.js';

const calls = [...actions, ...streams];

/** Returns a table of all calls for docs/rest.md. It has only prices that are not the price of most calls. */
export function endpointTable(openApi) {
  const rows = calls.map((action) => [
    code(`${action.method} ${action.path}`),
    action.summary + priceOf(action),
    parametersOf(action).join(', '),
    returnedFields(openApi, action),
  ]);
  return table(['call', 'does', 'takes', 'returns'], rows);
}

function priceOf({ price }) {
  if (price === flatPrice) return '';
  return price === 0 ? ' (free)' : ` (${formatDollars(price)})`;
}

/** Formats required parameters in bold, and joins alternatives by "or" at the position of the first one. */
function parametersOf({ input, path, keepsActor, code: encryptionCode }) {
  const { properties, required = [], $defs = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const groups = alternativesOf(input).filter((group, _at, all) => !all.some((other) => isPartOf(other, group)));
  const shown = ([name, schema]) => {
    if (path.includes(`{${name}}`)) return [];
    const { fields, atLeast } = groups.find((group) => group.fields.includes(name)) ?? { fields: [name], atLeast: 0 };
    if (fields[0] !== name) return [];
    const isRequired = required.includes(name) || atLeast > 0;
    const { enum: values } = $defs[schema.$ref?.split('/').at(-1)] ?? schema;
    const oneOf = values === undefined ? '' : ` (${values.map(code).join(', ')})`;
    return [fields.map((each) => emphasized(each, isRequired)).join(' or ') + oneOf];
  };
  return [
    ...(keepsActor ? [code('auth_token'), code('proxy')] : []),
    ...(encryptionCode === 'none' ? [] : [emphasized('encryption_code', encryptionCode === 'required')]),
    ...Object.entries(properties)
      .filter(([name]) => !('cursor' in properties && pageInput.includes(name)))
      .flatMap(shown),
  ];
}

const pageInput = ['count', 'cursor'];

const isPartOf = (a, b) => a.fields.length < b.fields.length && a.fields.every((field) => b.fields.includes(field));

const emphasized = (name, isRequired) => (isRequired ? `**${code(name)}**` : code(name));
