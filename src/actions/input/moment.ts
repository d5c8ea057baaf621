import { z } from 'zod';

/** The pattern of the published schema: a date, or a date and time with an offset. */
export const momentPattern =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:[0-9]{2}))?$';

/** A time that a caller sends. */
export const moment = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date()],
  'must be a time as ISO 8601, such as 2026-11-01T00:00:00Z',
);
