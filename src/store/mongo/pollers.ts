import { type NewPoller, type PollerRecord, type PollerReference, type PollerStore, pollerTtlMs } from '../port.ts';
import { mongoAppend } from './append.ts';
import { live, type Parts, toMs } from './parts.ts';
import { pollerLifecycle } from './poller-lifecycle.ts';
import type { PollerDocument } from './webhook-documents.ts';

/** The number of pollers that are claimed in one message. */
const batchSize = 200;
const withoutPending = { projection: { pending: 0 } } as const;

export function mongoPollers(parts: Parts): PollerStore {
  const { link, clock, runtime } = parts;
  const { pollers, runners } = parts.collections;
  const life = pollerLifecycle(parts);
  const { complete } = mongoAppend(parts);

  async function beat(process: string, now: number): Promise<void> {
    const expiresAt = new Date(now + pollerTtlMs);
    await runners.updateOne({ _id: process }, { $set: { v: 1, expiresAt } }, { upsert: true });
  }

  /** Claims pollers of one batch. Each update requires the fence that was read, so that only one of several processes gets a poller. */
  async function take(process: string, limit: number): Promise<{ tried: number; won: PollerDocument[] }> {
    const now = await clock.recent();
    const alive = await runners.find({ expiresAt: live(now, pollerTtlMs) }).toArray();
    const others = [process, ...alive.map(({ _id }) => _id)];
    const free = { runner: { $nin: others }, keptUntil: { $gt: new Date(now) } };
    const projection = { account: 1, fence: 1 } as const;
    const seen = await pollers.find(free, { projection, limit: Math.min(limit, batchSize) }).toArray();
    if (seen.length === 0) return { tried: 0, won: [] };
    await beat(process, now);
    const claim = runtime.randomBytes(9).toString('base64url');
    const update = { $set: { runner: process, claim, woken: false }, $inc: { fence: 1 } };
    await pollers.bulkWrite(
      seen.map(({ _id, account, fence }) => ({ updateOne: { filter: { _id, account, fence }, update } })),
      { ordered: false },
    );
    const ours = { _id: { $in: seen.map(({ _id }) => _id) }, runner: process, claim };
    const accounts = { account: { $in: [...new Set(seen.map(({ account }) => account))] } };
    return { tried: seen.length, won: await pollers.find({ ...ours, ...accounts }).toArray() };
  }

  async function claim(process: string, limit: number): Promise<PollerRecord[]> {
    const claimed: PollerRecord[] = [];
    while (claimed.length < limit) {
      const { tried, won } = await take(process, limit - claimed.length);
      if (tried === 0) break;
      for (const one of won) {
        await complete(one);
        const { cursor, at: appendedAt } = one.pending ?? { cursor: one.cursor, at: one.appendedAt };
        const gapAt = one.pending?.gap ? appendedAt : (one.gapAt ?? null);
        claimed.push(toPoller({ ...one, cursor, appendedAt, gapAt }));
      }
    }
    return claimed;
  }

  async function release(given: readonly PollerReference[]): Promise<void> {
    if (given.length === 0) return;
    const update = { $set: { runner: null } };
    await pollers.bulkWrite(
      given.map(({ account, id, fence }) => ({ updateOne: { filter: { _id: id, account, fence }, update } })),
      { ordered: false },
    );
  }

  async function keepForStream(poller: NewPoller, until: number): Promise<void> {
    const now = await clock.recent();
    const key = { _id: poller.id, account: poller.account };
    const $max = { streamedUntil: new Date(until), keptUntil: new Date(until) };
    const streamed = await pollers.updateOne({ ...key, streamedUntil: { $gt: new Date(now) } }, { $max });
    if (streamed.matchedCount === 1) return;
    for (let kept = 0; kept === 0; ) {
      await life.ensure(poller, now);
      kept = (await pollers.updateOne(key, { $max, $set: { woken: true } })).matchedCount;
    }
  }

  return {
    beat: (process) =>
      link.run(async () => {
        const now = await clock.recent();
        await beat(process, now);
        return runners.countDocuments({ expiresAt: live(now, pollerTtlMs) });
      }),

    leave: (process) => link.run(async () => void (await runners.deleteOne({ _id: process }))),

    find: (account, id) =>
      link.run(async () => {
        const keptUntil = { $gt: new Date(await clock.recent()) };
        const poller = await pollers.findOne({ _id: id, account, keptUntil }, withoutPending);
        return poller ? toPoller(poller) : null;
      }),

    keepForStream: (poller, until) => link.run(() => keepForStream(poller, until)),
    claim: (process, limit) => link.run(() => claim(process, limit)),
    release: (given) => link.run(() => release(given)),

    confirm: (process, given) =>
      link.run(async () => {
        const fences = new Map(given.map(({ id, fence }) => [id, fence]));
        const projection = { account: 1, fence: 1 } as const;
        const stands = await pollers.find({ runner: process }, { projection }).toArray();
        const ours = stands.filter(({ _id, fence }) => fences.get(_id) === fence);
        const lost = stands.filter(({ _id, fence }) => fences.get(_id) !== fence);
        await release(lost.map(({ _id, account, fence }) => ({ account, id: _id, fence })));
        return ours.map(({ _id }) => _id);
      }),

    count: () => link.run(async () => pollers.countDocuments({ keptUntil: { $gt: new Date(await clock.recent()) } })),

    woken: (process) =>
      link.run(async () => {
        const filter = { runner: process, woken: true };
        const found = await pollers.find(filter, { projection: { account: 1 } }).toArray();
        const told = await Promise.all(
          found.map(async ({ _id, account }) => {
            const answer = await pollers.updateOne({ ...filter, _id, account }, { $set: { woken: false } });
            return answer.modifiedCount === 1 ? [_id] : [];
          }),
        );
        return told.flat();
      }),

    stop: ({ account, id, fence, sealed }, reason) =>
      link.run(async () => {
        const set = { stopped: reason, unreachable: null };
        return (await pollers.updateOne({ _id: id, account, fence, sealed }, { $set: set })).matchedCount === 1;
      }),

    setUnreachable: ({ account, id, fence, sealed }, unreachable) =>
      link.run(async () => {
        const filter = { _id: id, account, fence, sealed };
        return (await pollers.updateOne(filter, { $set: { unreachable } })).matchedCount === 1;
      }),

    listAll: (limit, after = '') =>
      link.run(async () => {
        const filter = { _id: { $gt: after }, keptUntil: { $gt: new Date(await clock.recent()) } };
        return (await pollers.find(filter, { ...withoutPending, sort: { _id: 1 }, limit }).toArray()).map(toPoller);
      }),

    reseal: ({ account, id, sealed, unreachable }, previous) =>
      link.run(async () => {
        const set = { sealed, unreachable, woken: true };
        return (await pollers.updateOne({ _id: id, account, sealed: previous }, { $set: set })).matchedCount === 1;
      }),

    renew: ({ account, id, sealed }) =>
      link.run(async () => {
        const set = { stopped: null, unreachable: null, woken: true, ...(sealed !== undefined && { sealed }) };
        await pollers.updateOne({ _id: id, account }, { $set: set });
      }),
  };
}

function toPoller(poller: PollerDocument): PollerRecord {
  const { _id: id, account, sealed, cursor, stopped, unreachable = null, fence } = poller;
  return {
    id,
    account,
    sealed,
    createdAt: poller.createdAt.getTime(),
    cursor,
    stopped,
    unreachable,
    fence,
    streamedUntil: toMs(poller.streamedUntil),
    appendedAt: poller.appendedAt.getTime(),
    gapAt: toMs(poller.gapAt ?? null),
  };
}
