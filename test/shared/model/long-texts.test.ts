import { expect, test } from 'vitest';
import { emoji } from '../../../src/actions/dm/fields.ts';
import { mediaUrl } from '../../../src/media/media-input.ts';
import { screenName, searchText } from '../../../src/shared/model/scalars.ts';

test.each([
  ['screen name', screenName, 'must be at most 254 characters'],
  ['search', searchText, 'must be at most 512 characters'],
  ['address of media', mediaUrl, 'must be at most 2048 characters'],
  ['emoji', emoji, 'must be one emoji'],
])('a %s of 20 MB is refused by its length and not matched against a pattern', (_, schema, message) => {
  const issues = schema.safeParse('a.'.repeat(10_000_000)).error?.issues.map(({ code, message }) => [code, message]);
  expect(issues).toEqual([['too_big', message]]);
});
