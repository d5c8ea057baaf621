import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { anyOf, checkInput } from '../../src/actions/input/input.ts';
import { expectQuick } from '../support/processor-time.ts';

const schema = z.object({ media_url: z.string().optional(), media_data: z.string().optional() });
const oneNeeded = schema.check(anyOf('media_url', 'media_data'));

describe('parameters that an action does not know', () => {
  test.each(['constructor', '__proto__', 'toString'])('may be called %s and be null', (name) => {
    const raw = JSON.parse(`{ "${name}": null, "media_url": "x" }`);
    expect(checkInput(oneNeeded, raw)).toEqual({ media_url: 'x' });
  });

  test('may have long names, which are compared with no field', async () => {
    const raw = { ['a_'.repeat(5_000_000)]: 1 };
    await expectQuick(200, () => expect(() => checkInput(oneNeeded, raw)).toThrow('Missing required field'));
  });

  test('may be many and null', async () => {
    const raw = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`name${n}`, null]));
    await expectQuick(300, () => checkInput(schema, raw));
  });
});
