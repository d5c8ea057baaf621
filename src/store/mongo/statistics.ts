import { type AnyBulkWriteOperation, Long } from 'mongodb';
import type { CallStatistics, CallStatisticsStore } from '../port.ts';
import { firstKeptHour, statisticsExpiry } from '../statistics-rules.ts';
import { idOf, type StatisticsDocument } from './collections.ts';
import type { Parts } from './parts.ts';

export function mongoStatistics({ link, clock, transact, collections: { statistics } }: Parts): CallStatisticsStore {
  return {
    add: (added) =>
      link.run(async () => {
        if (added.length === 0) return;
        const updates = added.map(updateOf);
        await transact((session) => statistics.bulkWrite(updates, { session, ordered: true }));
      }, 0),

    list: (account, fromHour, toHour) =>
      link.run(async () => {
        const first = Math.max(fromHour, firstKeptHour(await clock.recent()));
        const hours = { account, hour: { $gte: first, $lt: toHour } };
        const found = await statistics.find(hours, { sort: { hour: 1, action: 1 } }).toArray();
        return found.map(({ hour, action, errors = {}, durations = {} }) => ({
          account,
          hour,
          action,
          errors: toNumbers(errors),
          durations: toNumbers(durations),
        }));
      }),
  };
}

function updateOf({
  account,
  hour,
  action,
  errors,
  durations,
}: CallStatistics): AnyBulkWriteOperation<StatisticsDocument> {
  const counts = [
    ...Object.entries(errors).map(([code, count]) => [`errors.${code}`, Long.fromNumber(count)]),
    ...Object.entries(durations).map(([bucket, count]) => [`durations.${bucket}`, Long.fromNumber(count)]),
  ];
  return {
    updateOne: {
      filter: { _id: idOf(account, hour, action), account },
      update: {
        $inc: Object.fromEntries(counts),
        $setOnInsert: { v: 1, hour, action, expiresAt: new Date(statisticsExpiry(hour)) },
      },
      upsert: true,
    },
  };
}

function toNumbers(counts: Readonly<Record<string, number | Long>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]));
}
