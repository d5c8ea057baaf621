import type { AttachedMedia } from '../dataset/types.ts';
import type { Prng } from './prng.ts';
import type { Topic } from './topic.ts';
import type { SeedUser } from './users.ts';

const HOUR_MS = 60 * 60 * 1000;
const photoSizes = [
  [1200, 800],
  [1080, 1350],
  [1600, 900],
  [1080, 1080],
] as const;

export function mediaFor(random: Prng, topic: Topic, position: number): readonly AttachedMedia[] {
  const mood = random.next();
  if (mood > 0.2) return NONE;
  const count = mood < 0.03 ? random.int(2, 4) : 1;
  return Array.from({ length: count }, (_, index): AttachedMedia => {
    const isVideo = mood > 0.165;
    const [width, height] = isVideo ? [1280, 720] : random.pick(photoSizes);
    const name = `${topic.name}-${position}-${index + 1}`;
    const path = `/media/photos/${name}-${width}x${height}.png`;
    if (!isVideo) return { kind: 'photo', path, videoPath: null, width, height, durationMs: null };
    const videoPath = `/media/videos/${name}.mp4`;
    return { kind: 'video', path, videoPath, width, height, durationMs: random.int(4_000, 90_000) };
  });
}

const NONE: readonly AttachedMedia[] = [];

/**
 * Generates the counts of likes, retweets, bookmarks and views of a tweet from the author's audience and the age of the
 * tweet. Most tweets get few reactions, and a few get very many.
 */
export function generateCounts(random: Prng, person: SeedUser, isReply: boolean, agoMs: number) {
  const audience = person.user.followers.size;
  const seen = 1 - Math.exp(-agoMs / (6 * HOUR_MS));
  const warmth = Math.min(1, (isReply ? 0.015 : 0.06) * Math.exp(1.2 * normalSample(random))) * seen;
  const likes = Math.min(audience, Math.floor(audience * warmth + random.next() * 1.4));
  const retweets = Math.floor(likes * random.next() * 0.35);
  const bookmarks = Math.floor(likes * random.next() * 0.2);
  const reach = 0.35 * Math.exp(0.8 * normalSample(random)) * seen;
  const views = Math.floor(audience * reach) + likes * random.int(6, 30) + random.int(1, 9);
  return { likes, retweets, bookmarks, views, score: likes + 2 * retweets + bookmarks };
}

/** Returns a random number with an approximately normal distribution of variance 1. */
function normalSample(random: Prng): number {
  return (random.next() + random.next() + random.next() + random.next() - 2) * Math.sqrt(3);
}
