import { z } from 'zod';
import { type Alternatives, alternativesOf } from '../src/actions/input/input.ts';
import { actions, streams } from '../src/actions/registry.ts';
import { formatDollars } from '../src/shared/model/money.ts';
import { code, table } from './markdown-table.ts';
import { type OpenApi, returnedFields } from './shape-tables.ts';

const calls = [...actions, ...streams];

/** Returns a table of all calls with parameters, response and price, for docs/rest.md. */
export function endpointTable(openApi: OpenApi): string {
  const rows = calls.map((action) => [
    code(`${action.method} ${action.path}`),
    action.summary,
    parametersOf(action).join(', '),
    returnedFields(openApi, action),
    action.price === 0 ? 'free' : formatDollars(action.price),
  ]);
  return table(['call', 'does', 'takes', 'returns', 'price'], rows);
}

/** Formats required parameters in bold, and joins alternatives by "or" at the position of the first one. */
function parametersOf({ input, path, keepsActor, code: encryptionCode }: (typeof calls)[number]): string[] {
  const { properties, required = [], $defs = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const groups = alternativesOf(input).filter((group, _at, all) => !all.some((other) => isPartOf(other, group)));
  const shown = ([name, value]: [string, unknown]) => {
    if (path.includes(`{${name}}`)) return [];
    const schema = value as Named;
    const { fields, atLeast } = groups.find((group) => group.fields.includes(name)) ?? { fields: [name], atLeast: 0 };
    if (fields[0] !== name) return [];
    const isRequired = required.includes(name) || atLeast > 0;
    const { enum: values } = ($defs as Record<string, Named>)[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
    const oneOf = values === undefined ? '' : ` (${values.map(code).join(', ')})`;
    return [fields.map((each) => emphasized(each, isRequired)).join(' or ') + oneOf];
  };
  return [
    ...(keepsActor ? [code('auth_token'), code('proxy')] : []),
    ...(encryptionCode === 'none' ? [] : [emphasized('encryption_code', encryptionCode === 'required')]),
    ...Object.entries(properties ?? {}).flatMap(shown),
  ];
}

interface Named {
  $ref?: string;
  enum?: string[];
}

const isPartOf = (a: Alternatives, b: Alternatives) =>
  a.fields.length < b.fields.length && a.fields.every((field) => b.fields.includes(field));

const emphasized = (name: string, isRequired: boolean) => (isRequired ? `**${code(name)}**` : code(name));
