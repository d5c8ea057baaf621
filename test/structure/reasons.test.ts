import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorReasons } from '../../src/shared/errors/reasons.ts';
import { errorCodes } from '../../src/shared/errors/table.ts';

const src = new URL('../../src/', import.meta.url);
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && file !== 'shared/errors/reasons.ts',
);
const text = files.map((file) => readFileSync(new URL(file, src), 'utf8')).join('\n');

test.each(Object.keys(errorReasons))('an error has the reason %s', (reason) => {
  expect(text.includes(`'${reason}'`)).toBe(true);
});

test.each(errorCodes)('the code %s has a reason', (code) => {
  expect(Object.values(errorReasons).map((reason) => reason.code)).toContain(code);
});
