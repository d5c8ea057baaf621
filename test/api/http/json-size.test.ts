import { describe, expect, test } from 'vitest';
import { toJson } from '../../../src/api/http/json-size.ts';
import { expectQuick } from '../../support/processor-time.ts';

const limit = 2 * 1024 * 1024;

describe('toJson', () => {
  test('returns JSON up to the limit in bytes', () => {
    expect(toJson(['é'.repeat(8)], 20)).toBe('["éééééééé"]');
    expect(toJson(['é'.repeat(8)], 19)).toBeNull();
    expect(toJson(['\n'.repeat(8)], 20)).toBe('["\\n\\n\\n\\n\\n\\n\\n\\n"]');
    expect(toJson(['\n'.repeat(8)], 19)).toBeNull();
  });

  test('refuses a long text that occurs thousands of times without serializing it', async () => {
    const text = 'x'.repeat(100_000);
    const texts = Array.from({ length: 6_000 }, () => text);
    await expectQuick(50, () => expect(toJson(texts, limit)).toBeNull());
  });

  test('refuses millions of small values without serializing them', async () => {
    const values = Array.from({ length: 4_000_000 }, () => ({}));
    await expectQuick(50, () => expect(toJson(values, limit)).toBeNull());
  });
});
