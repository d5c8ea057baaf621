import { afterAll, expect, test } from 'vitest';
import { MediaService } from '../../src/media/media-service.ts';
import { OutboundGuard } from '../../src/outbound/guard.ts';
import { ProxyPool } from '../../src/outbound/proxy-pool.ts';
import { sandboxCapabilities } from '../../src/platform/sandbox/capabilities.ts';
import { PosternError } from '../../src/shared/errors/postern-error.ts';
import { systemRuntime as runtime } from '../../src/shared/runtime/runtime.ts';
import { expectQuick } from '../support/processor-time.ts';
import { repetitions } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useService } from '../support/use-service.ts';
import { gif, jpeg, mp4, png, svg, webp } from './pictures.ts';

const { ada } = await useService({}, { dollars: '5' });
const folder = temporaryFolder();
const guard = new OutboundGuard({ runtime });
const proxies = new ProxyPool({ guard, runtime, maxResponseBytes: 1_000, timeoutMs: 1_000 });
const media = new MediaService({ guard, proxies, runtime, folder, largest: sandboxCapabilities.limits.mediaBytes });
afterAll(() => media.close());

/** Uses the same mutations in every run (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const originals = [png(), jpeg, gif, webp, mp4(), svg];

function mutated(random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  let bytes = Buffer.from(originals[below(originals.length)] ?? png());
  for (let left = 1 + below(4); left > 0; left--) {
    const at = below(bytes.length);
    const change = below(6);
    if (change === 0) bytes[at] = below(256);
    else if (change === 1) bytes[at] = [0, 0xff, 0x7f, 0x80][below(4)] ?? 0;
    else if (change === 2) bytes = bytes.subarray(0, Math.max(1, at));
    else if (change === 3) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(8))]);
    else if (change === 4) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(below(at + 1))]);
    else if (at + 4 <= bytes.length)
      bytes.writeUInt32BE([0, 1, 0x7fffffff, 0xffffffff, below(2 ** 32)][below(5)] ?? 0, at);
    if (bytes.length === 0) bytes = Buffer.from([0]);
  }
  return bytes;
}

const overHttp = repetitions(50, 200);
const inProcess = repetitions(500, 4_000);

test(`${overHttp} mutations of real files over HTTP are accepted or refused`, async () => {
  const random = chance(20261121);
  const statuses = new Map<number, number>();
  for (let round = 0; round < overHttp / 10; round++) {
    const batch = Array.from({ length: 10 }, () => mutated(random).toString('base64'));
    const answers = await Promise.all(
      batch.map((media_data) => ada.post('/media/upload', { media_data, media_type: 'application/octet-stream' })),
    );
    for (const [at, { status, body }] of answers.entries()) {
      expect([200, 400], `${batch[at]}: ${body.error}`).toContain(status);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(overHttp);
  expect(statuses.get(400)).toBeGreaterThan(overHttp / 5);
});

test(`${inProcess} more are quickly accepted or refused with an error`, async () => {
  const uploader = media.uploader({ account: 'ada', proxy: null, signal: new AbortController().signal });
  const rules = { field: 'media_data', kinds: ['photo', 'gif', 'video', 'audio', 'svg', 'file'] as const };
  const random = chance(7);
  for (let round = 0; round < inProcess; round++) {
    const base64 = mutated(random).toString('base64');
    await expectQuick(2_000, async () => {
      try {
        await (await uploader.take({ base64, declaredType: null }, rules)).discard();
      } catch (error) {
        if (!(error instanceof PosternError) || error.code !== 'bad_input') throw new Error(base64, { cause: error });
      }
    });
  }
});
