import { expect, test } from 'vitest';
import { MediaReader } from '../../src/media/media-reader.ts';
import type { Spool } from '../../src/media/spool.ts';
import { Semaphore } from '../../src/shared/runtime/semaphore.ts';

test('media of a kind that the platform does not accept is refused with the kinds that it accepts', async () => {
  const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
  const spool = { head: gif, size: gif.length } as unknown as Spool;
  const reader = new MediaReader(spool, [], { field: 'media_data', kinds: ['photo', 'gif'] }, { photo: 1_000 });
  await expect(reader.finish(new Semaphore(1), false)).rejects.toMatchObject({
    detail: 'The platform accepts no media of the kind gif, only photo',
  });
});
