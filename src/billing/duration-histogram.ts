const bucketsPerDoubling = 8;
const lastBucket = 20 * bucketsPerDoubling;

/** The number of durations in each bucket. Buckets without durations are absent. */
export type DurationCounts = Readonly<Record<number, number>>;

/**
 * Returns the bucket of a duration in milliseconds. Bucket 0 ends at 1 ms, and every further bucket n ends at 2^(n/8) ms. The last bucket
 * (17 minutes) also contains all longer durations. The buckets are the same everywhere, so histograms of several processes can be added up.
 */
export function bucketOf(ms: number): number {
  if (ms <= 1) return 0;
  return Math.min(lastBucket, Math.ceil(Math.log2(ms) * bucketsPerDoubling));
}

/**
 * Returns the duration in milliseconds that the given fraction of all durations does not exceed. It is interpolated within its bucket. The
 * exact percentile is in the same bucket, so the error is at most the width of the bucket: 9.1 % of the exact percentile, or 1 ms if the
 * percentile is at most 1 ms. Returns `null` if there are no durations.
 */
export function percentile(counts: DurationCounts, fraction: number): number | null {
  const buckets = Object.entries(counts).map(([bucket, count]) => ({ bucket: Number(bucket), count }));
  buckets.sort((a, b) => a.bucket - b.bucket);
  const rank = fraction * buckets.reduce((total, { count }) => total + count, 0);
  let below = 0;
  for (const { bucket, count } of buckets) {
    if (below + count >= rank) {
      const [start, end] = [bucket === 0 ? 0 : endOf(bucket - 1), endOf(bucket)];
      return start + ((rank - below) / count) * (end - start);
    }
    below += count;
  }
  return null;
}

function endOf(bucket: number): number {
  return 2 ** (bucket / bucketsPerDoubling);
}
