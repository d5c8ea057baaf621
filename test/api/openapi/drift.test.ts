import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { printedFiles } from '../../../scripts/printed-files.ts';

/** Ids of the audit log begin with the number of entries that this process has made. */
const linesOf = (text: string) => text.replace(/aud_[0-9a-f]{8}/g, 'aud_').split('\n');

test.each(Object.entries(printedFiles))('%s matches the code: `npm run print` changes nothing', (name, print) => {
  const [written, printed] = [linesOf(readFileSync(name, 'utf8')), linesOf(print())];
  const at = printed.findIndex((line, index) => line !== written[index]);
  expect(written[at], `line ${at + 1}`).toBe(printed[at]);
  expect(written).toHaveLength(printed.length);
});
