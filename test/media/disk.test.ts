import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MediaQuota } from '../../src/media/media-quota.ts';
import { Spool } from '../../src/media/spool.ts';

test('a directory for media that cannot be written is not called a full disk', async () => {
  const root = mkdtempSync(join(tmpdir(), 'postern-disk-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const file = join(root, 'file');
  writeFileSync(file, '');
  const opening = Spool.open(join(file, 'media'), new MediaQuota().take('acct'));
  await expect(opening).rejects.toThrow('Media cannot be stored: the disk cannot be written');
});
