import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MediaQuota } from '../../src/media/media-quota.ts';
import { Spool } from '../../src/media/spool.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a directory for media that cannot be written is not called a full disk', async () => {
  const file = join(temporaryFolder(onTestFinished), 'file');
  writeFileSync(file, '');
  const opening = Spool.open(join(file, 'media'), new MediaQuota().take('acct'));
  await expect(opening).rejects.toThrow('Media cannot be stored: the disk cannot be written');
});
