import { expect, test } from 'vitest';
import { requestContent } from '../../../src/api/http/idempotency-key.ts';

test('the content of a request does not copy its media, but differs for different media', () => {
  const media = 'A'.repeat(20_000_000);
  const contentOf = (data: string) => requestContent('media/upload', { media_data: data }, [null]);
  expect(contentOf(media).length).toBeLessThan(1_000);
  expect(contentOf(media)).toBe(contentOf('A'.repeat(20_000_000)));
  expect(contentOf(media)).not.toBe(contentOf(`${media.slice(1)}B`));
});
