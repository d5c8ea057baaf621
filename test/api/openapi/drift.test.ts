import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { printedFiles } from '../../../scripts/printed-files.ts';

test.each(Object.entries(printedFiles))('%s matches the code: `npm run print` changes nothing', (name, print) => {
  const [written, printed] = [readFileSync(name, 'utf8').split('\n'), print().split('\n')];
  const at = printed.findIndex((line, index) => line !== written[index]);
  expect(written[at], `line ${at + 1}`).toBe(printed[at]);
  expect(written).toHaveLength(printed.length);
});
