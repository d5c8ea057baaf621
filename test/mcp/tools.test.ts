import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { actions } from '../../src/actions/registry.ts';
import { shorten } from '../../src/mcp/shorten.ts';
import { tools } from '../../src/mcp/tools.ts';
import { expectQuick } from '../support/processor-time.ts';

const credential = /^(secret|key|token|auth_token|encryption_code|proxy|request_headers|identifier|app_password)$/;

/** Returns the names of the fields that a JSON Schema describes at any depth. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties } = schema as { properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(fieldsOf)];
}

describe('the tools', () => {
  test('are all actions but those that handle credentials', () => {
    const without = actions.filter((action) => !tools.some((tool) => tool.action === action));
    expect(without.map(({ name }) => name)).toEqual([
      ...['dm/enroll', 'webhooks/create', 'webhooks/validate', 'webhooks/rotate-secret'],
      ...['account/keys/create', 'events/token'],
    ]);
  });

  test('have names that every client accepts', () => {
    const names = tools.map(({ definition }) => definition.name);
    expect(names.filter((name) => !/^[a-z_]{1,64}$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  test('that delete or overwrite need the policy destructive', () => {
    const destructive = tools.filter(({ policy }) => policy === 'destructive').map(({ action }) => action.name);
    expect(destructive).toEqual([
      ...['tweet/delete', 'article/update', 'article/delete', 'dm/edit', 'dm/delete'],
      ...['webhooks/update', 'webhooks/delete', 'connections/delete', 'account/keys/revoke'],
    ]);
  });

  test('take no credential', () => {
    const fields = tools.flatMap(({ definition }) => fieldsOf(definition.inputSchema));
    expect(fields.filter((field) => credential.test(field))).toEqual([]);
  });

  test('return no credential, because results never have the fields for them', () => {
    const outputs = tools.map(({ action }) => z.toJSONSchema(action.output, { io: 'output', unrepresentable: 'any' }));
    const fields = new Set(outputs.flatMap(fieldsOf).filter((field) => credential.test(field)));
    expect([...fields]).toEqual(['request_headers']);
    const value = Object.fromEntries([...fields].map((field) => [field, 'value']));
    expect(shorten({ nested: [value] }, true).data).toEqual({ nested: [{}] });
  });

  test('name media by its address', () => {
    const upload = tools.find(({ action }) => action.name === 'media/upload');
    expect(upload?.fields).not.toContain('media_data');
    expect(upload?.definition.inputSchema).toMatchObject({ required: ['media_url'] });
    expect(upload?.definition.description).not.toContain('Needs exactly one of');
  });
});

describe('a shortened result', () => {
  test('begins with the content and has no empty fields', () => {
    const entities = { urls: [{ expanded_url: 'https://a.example' }] };
    const tweet = { id: '1', url: null, text: 'Hello', media: [], lang: 'en', entities };
    const { data, omissions } = shorten(tweet, false);
    expect(JSON.stringify(data)).toBe('{"text":"Hello","id":"1","lang":"en","links":["https://a.example"]}');
    expect(omissions).toEqual([]);
  });

  test('has whole characters where a text was cut', () => {
    const { data } = shorten({ text: `${'x'.repeat(1_999)}😀😀` }, false);
    expect((data as { text: string }).text).toBe(`${'x'.repeat(1_999)}…`);
  });

  test('has no part of an emoji where a text was cut', () => {
    const { data } = shorten({ text: `${'x'.repeat(1_995)}❤️‍🔥❤️‍🔥` }, false);
    expect((data as { text: string }).text).toBe(`${'x'.repeat(1_995)}❤️‍🔥…`);
    const { data: cut } = shorten({ text: `${'x'.repeat(1_997)}❤️‍🔥❤️‍🔥` }, false);
    expect((cut as { text: string }).text).toBe(`${'x'.repeat(1_997)}❤️…`);
  });

  test('has no characters that hide text from people', () => {
    const hidden = ['\u{e0041}', '\u{e0142}', '\u{2063}', '\u{202e}'].join('');
    expect(shorten({ text: `a${hidden}b\u{200d}c` }, true).data).toEqual({ text: 'abc' });
    const encoded = '\u{fe00}\u{fe0f}\u{fe01}\u{200b}\u{feff}\u{200c}\u{200d}\u{200c}\u{200c}\u{9b}\u{85}';
    const emoji = '\u{2764}\u{fe0f} \u{1f469}\u{200d}\u{1f4bb}';
    expect(shorten({ text: `a${encoded}b${emoji}` }, true).data).toEqual({ text: `ab${emoji}` });
  });

  test.each([
    ['one list', { items: Array.from({ length: 500 }, (_, at) => ({ at, text: 'x'.repeat(100) })) }],
    ['two lists', { a: Array(3_000).fill('text'), b: Array(3_000).fill('text') }],
    ['no list', Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`field${at}`, 'x'.repeat(20)]))],
    ['one long item', { items: [{ texts: Array(100).fill('x'.repeat(1_000)) }] }],
    ['a list', Array(10_000).fill('text')],
  ])('is bounded, with %s', (_, value) => {
    const { data, omissions } = shorten(value, false);
    expect(JSON.stringify(data).length).toBeLessThanOrEqual(20_000);
    expect(omissions.length).toBeGreaterThan(0);
  });

  test.each([
    ['long texts', { tweets: Array(100).fill({ text: 'é"x '.repeat(20_000) }) }],
    ['many small items', { tweets: Array.from({ length: 100_000 }, (_, at) => ({ id: String(at) })) }],
    [
      'an item with many links',
      { tweets: [{ entities: { urls: Array(80_000).fill({ expanded_url: 'http://a.b' }) } }] },
    ],
    ['hidden characters', { tweets: Array(100).fill({ text: '\u0915\u200d'.repeat(40_000) }) }],
  ])('is made without reading what does not fit, with %s', async (_, value) => {
    await expectQuick(50, () => shorten(value, false));
  });

  test('says how many items were not read because of hidden characters', () => {
    const { data, omissions } = shorten({ items: Array(100).fill({ text: 'x'.padEnd(9_000, '\u200b') }) }, false);
    expect(data).toEqual({ items: Array(9).fill({ text: 'x…' }) });
    expect(omissions).toEqual(['10 texts were cut at 2000 characters', '91 of 100 items of items are left out']);
  });
});
