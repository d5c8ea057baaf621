import { describe, expect, test } from 'vitest';
import { weakness } from '../../../../src/messaging/encryption/recovery/weak-code.ts';

describe('a code', () => {
  test.each([
    '123',
    '0000',
    '1111',
    '1122',
    '111112',
    '1234',
    '4321',
    '890123',
    '1212',
    '123123',
    'abcd',
    'hgfe',
    '1987',
    '2024',
  ])('%s is refused', (code) => expect(weakness(code)).toBeTypeOf('string'));
  test.each(['198712', '20240131', '31012024', '01311999', '１２３４', 'x'.repeat(65), ''])('%s is refused', (code) =>
    expect(weakness(code)).toBeTypeOf('string'),
  );
  test.each(['4829', '482913', '1123', '90210', 'correct horse', '7713', '99887701'])('%s is accepted', (code) =>
    expect(weakness(code)).toBeNull(),
  );
});
