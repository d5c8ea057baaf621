import { Phrases } from './phrases.ts';
import { prng } from './prng.ts';
import type { Topic } from './topic.ts';
import { topics } from './topics.ts';

const nobody = { friends: [], emojiHabit: 0.1 };

/** What two people wrote to each other, the first line first. The same in every run. */
export function chatLines(seed: string, conversation: string, about: readonly Topic[], count: number): string[] {
  const random = prng(seed, `chat lines ${conversation}`);
  const phrases = new Phrases(random);
  const english = topics.filter(({ language }) => language === undefined);
  return Array.from({ length: count }, (_, turn) => {
    const topic = random.pick(about.length > 0 && random.chance(0.7) ? about : english);
    return turn === 0 || random.chance(0.4) ? phrases.post(nobody, topic) : phrases.answer(topic);
  });
}
