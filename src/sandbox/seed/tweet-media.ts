import type { AttachedMedia } from '../dataset/types.ts';
import type { Prng } from './prng.ts';
import type { Topic } from './topic.ts';

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
