import { readdirSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MediaQuota } from '../../src/media/media-quota.ts';
import { MediaService } from '../../src/media/media-service.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { ProxyPool } from '../../src/outbound/proxy-pool.ts';
import { sandboxCapabilities } from '../../src/platform/sandbox/capabilities.ts';
import { systemRuntime as runtime } from '../../src/shared/runtime/runtime.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { png } from './pictures.ts';

const KiB = 1024;
const folder = temporaryFolder();
let proxies: ProxyPool;
let service: MediaService;

beforeEach(() => {
  const guard = new OutboundGuard({ runtime });
  proxies = new ProxyPool({ guard, runtime, maxResponseBytes: 1_000, timeoutMs: 1_000 });
  const quotaLimits = { ofAccount: { pieces: 3, bytes: 100 * KiB }, ofAll: { pieces: 4, bytes: 150 * KiB } };
  const largest = sandboxCapabilities.limits.mediaBytes;
  service = new MediaService({ guard, proxies, runtime, folder, largest, quotaLimits });
});
afterEach(async () => {
  await service.close();
  await proxies.close();
  expect(readdirSync(folder)).toEqual([]);
});

const bytes = png().toString('base64');

function take(account: string, base64 = bytes) {
  const uploader = service.uploader({ account, proxy: null, signal: new AbortController().signal });
  return uploader.take({ base64, declaredType: 'image/png' }, { field: 'media_data', kinds: ['photo'] });
}

const whose = (account: string) => ({ declaredType: null, field: 'variables.file', account });
const send = (account: string, size: number) =>
  service.receive(Readable.from([Buffer.alloc(size / 2), Buffer.alloc(size / 2)]), whose(account));

const expectRefusal = (taking: Promise<unknown>, message: RegExp) =>
  expect(taking).rejects.toMatchObject(refusal(message));
function refusal(message: RegExp) {
  return { code: 'rate_limited', retryAfterSeconds: 2, message: expect.stringMatching(message) };
}

test('an account keeps so many pieces at a time; discarding one frees its share', async () => {
  const held = await Promise.all([take('ada'), take('ada'), take('ada')]);
  await expectRefusal(take('ada'), /^This account has reached its limit of media in flight, 3 pieces: try again/);
  held.push(await take('grace'));
  await expectRefusal(take('linus'), /^All callers together have too much media in flight/);
  await held.pop()?.discard();
  held.push(await take('linus'));
  for (const each of held) await each.discard();
  for (const each of await Promise.all([take('ada'), take('ada'), take('ada')])) await each.discard();
});

test('an account gets a share of the free bytes, so a few accounts cannot use all of them', () => {
  const quota = new MediaQuota();
  for (let i = 0; i < 1_000; i++) {
    try {
      quota.take(`flood ${i % 4}`);
    } catch (error) {
      expect(error).toMatchObject(refusal(/media in flight/));
    }
  }
  for (let i = 0; i < 100; i++) quota.take('ada');
});

test('the bytes of an account and of all accounts together are limited, for every kind of upload', async () => {
  const first = await send('ada', 60 * KiB);
  await expectRefusal(send('ada', 60 * KiB), /^This account has reached its limit of media in flight/);
  const second = await send('grace', 60 * KiB);
  await expectRefusal(send('linus', 60 * KiB), /^All callers together/);
  const large = png(40, 30, { filler: 60 * KiB }).toString('base64');
  await expectRefusal(take('linus', large), /^All callers together/);
  await first.discard();
  await first.discard();
  const third = await send('linus', 60 * KiB);
  for (const each of [second, third]) await each.discard();
});

test('a refused or failed upload frees its share', async () => {
  for (let time = 0; time < 5; time++) {
    await expect(take('ada', 'AAAA')).rejects.toMatchObject({ code: 'bad_input' });
    const broken = Readable.from(
      (function* () {
        yield Buffer.alloc(90 * KiB);
        throw new Error('the caller hung up');
      })(),
    );
    await expect(service.receive(broken, whose('ada'))).rejects.toThrow('the caller hung up');
  }
  await (await send('ada', 100 * KiB)).discard();
});
