import { describe, expect, test } from 'vitest';
import { weakness } from '../../../src/messaging/encryption/weak-code.ts';

describe('a code', () => {
  const repeated = ['0000', '1111', '1122', '111112', '111111', '112211', '1212', '123123'];
  const runs = ['123', '1234', '4321', '890123', 'abcd', 'hgfe', '１２３４', '123456', '654321'];
  const dates = ['1987', '2024', '198712', '199012', '200101', '20240131', '31012024', '01311999'];
  test.each([...repeated, ...runs, ...dates, 'x'.repeat(65), ''])('%s is refused', (code) =>
    expect(weakness(code)).toBeTypeOf('string'),
  );
  const strong = ['4829', '482913', '1123', '90210', 'correct horse', '7713', '99887701', '943932', '887075', '364078'];
  test.each(strong)('%s is accepted', (code) => expect(weakness(code)).toBeNull());
});
