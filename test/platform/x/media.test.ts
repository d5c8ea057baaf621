import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { create } from '../../../src/articles/create.ts';
import { transitions } from '../../../src/articles/states.ts';
import type { TakenMedia } from '../../../src/shared/model/taken-media.ts';
import type { TaskRunner } from '../../../src/shared/threads/task.ts';
import { type Answers, fakeX, now, runtime } from './fake-x.ts';

const pauseMs = 7_000;

/** A clock that jumps to the end of each pause. The deadlines of requests never come. */
function jumpingClock() {
  const clock = { ms: now, pauses: 0 };
  const after = (delayMs: number, task: () => void) => {
    if (delayMs === pauseMs) {
      clock.ms += delayMs;
      clock.pauses += 1;
      queueMicrotask(task);
    }
    return { cancel: () => {} };
  };
  return { clock, runtime: { ...runtime, now: () => clock.ms, after } };
}

const media = (kind: TakenMedia['kind'], bytes: Buffer): TakenMedia => ({
  ...{ kind, type: kind === 'video' ? 'video/mp4' : 'image/png', size: bytes.length },
  ...{ width: 1, height: 1, durationMs: null },
  open: (from, to) => Readable.from([bytes.subarray(from, to)]),
  discard: async () => {},
});

const data = (more: object = {}) => ({ body: { data: { id: '12', ...more } } });
const upload = (finalized: object, states: readonly object[] = []): Answers => {
  const left = [...states];
  return {
    'POST /2/media/upload/initialize': data(),
    'POST /2/media/upload/12/append': { status: 204 },
    'POST /2/media/upload/12/finalize': data(finalized),
    '/2/media/upload': () => data({ processing_info: left.length > 1 ? left.shift() : left[0] }),
  };
};
const pending = { state: 'pending', check_after_secs: pauseMs / 1_000 };
const film = media('video', Buffer.alloc(9 * 1024 * 1024, 1));

describe('media', () => {
  test('is sent in segments of 4 MiB as forms', async () => {
    const { session, requests } = await fakeX(upload({}));
    expect(await session().media.upload(film)).toBe('12');
    const [begun, ...segments] = requests;
    expect(begun?.sent).toEqual({ media_type: 'video/mp4', media_category: 'tweet_video', total_bytes: film.size });
    const forms = segments.slice(0, 3).map(({ sent }) => String(sent));
    expect(forms.map((form) => /name="segment_index"\r\n\r\n(\d+)/.exec(form)?.[1])).toEqual(['0', '1', '2']);
    const sizes = forms.map((form) => form.split('\x01').length - 1);
    expect(sizes).toEqual([4, 4, 1].map((size) => size * 1024 * 1024));
    expect(segments[3]?.path).toBe('/2/media/upload/12/finalize');
  });

  test('is 504 if the segments take too long together', async () => {
    const { clock, runtime } = jumpingClock();
    const slowly = () => {
      clock.ms += 60_000;
      return { status: 204 };
    };
    const { session, requests } = await fakeX(
      { ...upload({}), 'POST /2/media/upload/12/append': slowly },
      { clock: runtime },
    );
    await expect(session().media.upload(film)).rejects.toMatchObject({ reason: 'platform_timeout' });
    expect(requests).toHaveLength(3);
  });

  test('is known to the account that uploaded it, and to no other', async () => {
    const { session } = await fakeX({ 'POST /2/media/upload': data() });
    await session().media.upload(media('photo', Buffer.from('x')));
    expect(await session().articles.isPicture('12')).toBe(true);
    await expect(session({ account: 'other' }).articles.isPicture('12')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('waits as long as X asks, until it is processed', async () => {
    const { clock, runtime } = jumpingClock();
    const states = [{ ...pending, state: 'in_progress' }, { state: 'succeeded' }];
    const { session } = await fakeX(upload({ processing_info: pending }, states), { clock: runtime });
    expect(await session().media.upload(film)).toBe('12');
    expect(clock.pauses).toBe(2);
  });

  test.each([
    ['refuses media that X cannot process with 400', [{ state: 'failed' }], 'malformed_field', 'cannot process'],
    [
      'names the reason of X',
      [{ state: 'failed', error: { code: 1, name: 'InvalidMedia', message: 'Unsupported codec' } }],
      ...['malformed_field', 'Unsupported codec'],
    ],
    ['gives up after two minutes with 504', [pending], 'platform_timeout', 'in time'],
  ] as const)('%s', async (_name, states, reason, message) => {
    const { runtime } = jumpingClock();
    const { session } = await fakeX(upload({ processing_info: pending }, states), { clock: runtime });
    const error = { reason, message: expect.stringContaining(message) };
    await expect(session().media.upload(film)).rejects.toMatchObject(error);
  });

  test.each([
    ['gif', { width: 1281, height: 1080 }],
    ['gif', { width: 1280, height: 1081 }],
    ['video', { durationMs: 499 }],
    ['video', { durationMs: 140_001 }],
  ] as const)('refuses a %s with %o before it is sent', async (kind, form) => {
    const { session, requests } = await fakeX({});
    const refused = session().media.upload({ ...media(kind, Buffer.from('x')), ...form });
    await expect(refused).rejects.toMatchObject({ code: 'bad_input' });
    expect(requests).toEqual([]);
  });

  test('is uploaded even if the store cannot remember it', async () => {
    const { session } = await fakeX({ 'POST /2/media/upload': data() }, { isAway: true });
    expect(await session().media.upload(media('photo', Buffer.from('x')))).toBe('12');
  });

  test.each([
    [{ status: 400, body: { errors: [{ parameters: { media: [] }, message: 'Bad' }], type: 'x/invalid-request' } }],
    [{ status: 413, body: null }],
  ])('is 400 if X refuses it (%o)', async (answer) => {
    const { session } = await fakeX({ 'POST /2/media/upload': answer });
    const refused = session().media.upload(media('photo', Buffer.from('x')));
    await expect(refused).rejects.toMatchObject({ code: 'bad_input' });
  });
});

describe('articles', () => {
  const tasks: TaskRunner = { run: async (task, input) => task.run(input) };
  const content = { richText: JSON.stringify({ blocks: [], entities: [], containers: [] }) };

  test('name the draft that is left if it cannot be published', async () => {
    const { session } = await fakeX({
      'POST /2/articles/draft': data({ title: 'On looms' }),
      'POST /2/articles/12/publish': { status: 503, body: null },
    });
    const { articles } = session({ tasks });
    const made = create(articles, transitions.none.createPublished, { title: 'On looms', content, cover: null });
    await expect(made).rejects.toThrow(/503\. Article 12 is left as a draft, unless it was published$/);
  });

  test('are published again for the account that published them, and for no other', async () => {
    const stored: Record<string, string> = {};
    const { session, requests } = await fakeX({ 'POST /2/articles/12/publish': data({ post_id: '13' }) }, { stored });
    const publish = (account: string) => session({ tasks, account }).articles.publish('12');
    for (const account of ['one', 'one', 'two']) expect((await publish(account)).tweet_id).toBe('13');
    expect(requests).toHaveLength(2);
  });

  test('say that a draft may be left if its answer was lost', async () => {
    const { session } = await fakeX({ 'POST /2/articles/draft': { fault: 'cut' } });
    const made = create(session({ tasks }).articles, transitions.none.create, { title: 'a', content, cover: '7' });
    await expect(made).rejects.toThrow(/A draft may be left behind$/);
  });
});
