import { expect, test } from 'vitest';
import { requestContent } from '../../../src/api/http/idempotency-key.ts';

test('what makes a request the same does not copy its media, and still tells one from another', () => {
  const media = 'A'.repeat(20_000_000);
  const contentOf = (data: string) => requestContent('media/upload', { media_data: data }, [null]);
  expect(contentOf(media).length).toBeLessThan(1_000);
  expect(contentOf(media)).toBe(contentOf('A'.repeat(20_000_000)));
  expect(contentOf(media)).not.toBe(contentOf(`${media.slice(1)}B`));
});
