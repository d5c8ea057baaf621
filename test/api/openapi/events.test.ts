import { readFileSync } from 'node:fs';
import { isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { schema } from '../../../src/api/graphql/schema/schema.ts';
import { webhookEventTypes } from '../../../src/shared/model/event.ts';
import { eventBodies, eventTypeName } from '../../../src/shared/model/event-bodies.ts';
import { contract } from './contract.ts';

interface Described {
  required: string[];
  properties: Record<string, { type?: string | string[]; const?: string; $ref?: string; description?: string }>;
}
type Schemas = Record<string, Described>;

const read = (name: string) => readFileSync(new URL(`../../../schema/${name}`, import.meta.url), 'utf8');
const events = JSON.parse(read('events.json')) as { oneOf: { $ref: string }[]; $defs: Schemas };
const asyncApi = parse(read('asyncapi.yaml')) as {
  channels: Record<'webhook' | 'events', { messages: Record<string, { name?: string }> }>;
  components: { schemas: Schemas; messages: Record<string, { name: string; payload: { $ref: string } }> };
};
const kit = readFileSync(new URL('../../../src/client/webhooks/events.ts', import.meta.url), 'utf8');
const names = Object.keys(eventBodies);

/** Returns the fields of a type of the kit, with those that it inherits. */
function kitFields(type: string): Map<string, { mark: string; ts: string }> {
  const declared = new RegExp(`^export interface ${type}(?: extends ([^{]+))? {\n([^}]*)^}`, 'm').exec(kit);
  const [, bases = '', body = ''] = declared ?? [];
  const inherited = bases.split(', ').flatMap((base) => (base === '' ? [] : [...kitFields(base)]));
  const own = [...body.matchAll(/^ {2}(\w+)(\??): (.+);$/gm)].map(
    ([, field = '', mark = '', ts = '']) => [field, { mark, ts }] as const,
  );
  return new Map([...inherited, ...own]);
}

test('every description has every event and no other', () => {
  const types = names.map(eventTypeName);
  expect(events.oneOf.map(({ $ref }) => $ref)).toEqual(types.map((type) => `#/$defs/${type}`));
  expect(Object.keys(contract.webhooks)).toEqual(names);
  expect(Object.keys(asyncApi.channels.webhook.messages)).toEqual(types);
  expect(Object.keys(asyncApi.channels.events.messages)).toEqual(webhookEventTypes.map(eventTypeName));
  expect([...kit.matchAll(/^ {2}\| (\w+)/gm)].map(([, type]) => type)).toEqual(types);
  const implementers = schema.getPossibleTypes(schema.getType('Event') as never).map(({ name }) => name);
  expect(implementers.sort()).toEqual(webhookEventTypes.map(eventTypeName).sort());
});

describe.each(names)('%s', (name) => {
  const type = eventTypeName(name);
  const described = events.$defs[type] as Described;

  test('has an id, its type and the time', () => {
    expect(described.required).toEqual(expect.arrayContaining(['id', 'type', 'created_at']));
    expect(described.properties['type']?.const).toBe(name);
    for (const property of Object.values(described.properties)) expect(property.description).toMatch(/.{5,}/);
  });

  test('is the same in JSON Schema, OpenAPI, AsyncAPI and the types of the kit', () => {
    const local = JSON.parse(JSON.stringify(described).replaceAll('#/$defs/', '#/components/schemas/'));
    expect(contract.components.schemas[type]).toEqual(local);
    expect(asyncApi.components.schemas[type]).toEqual(local);
    const fields = kitFields(type);
    expect([...fields.keys()].sort()).toEqual(Object.keys(described.properties).sort());
    for (const [field, { mark, ts }] of fields) {
      expect(mark, field).toBe(described.required.includes(field) ? '' : '?');
      expect(ts.includes('null'), field).toBe(String(described.properties[field]?.type).includes('null'));
    }
  });
});

test.each([...webhookEventTypes])('%s has the same fields in GraphQL, null where one may be missing', (name) => {
  const type = eventTypeName(name);
  const described = events.$defs[type] as Described;
  const object = schema.getType(type);
  if (!isObjectType(object)) throw new Error(`${type} is no object type`);
  const fields = Object.values(object.getFields());
  expect(fields).toHaveLength(Object.keys(described.properties).length);
  const spelled = (field: string) =>
    field.replace('screen_name', 'user_name').replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
  for (const [field, property] of Object.entries(described.properties)) {
    const found = object.getFields()[spelled(field)];
    const mayMiss = !described.required.includes(field) || String(property.type).includes('null');
    expect(String(found?.type).endsWith('!'), field).toBe(!mayMiss);
  }
});
