import type { Article } from '../world/types.ts';
import type { Person } from './people.ts';
import type { Prng } from './prng.ts';
import type { Topic } from './topic.ts';

const shapes = ['Notes on {}', 'What {} taught me', 'A beginner’s letter about {}', 'A year of {}', 'In praise of {}'];

/** Now and then what a premium member says is a long piece of writing. */
export function articleTitle(random: Prng, { user, tongue }: Person, topic: Topic): Article | undefined {
  if (!user.premium || user.protected || tongue.lang !== 'en' || !random.chance(0.03)) return undefined;
  const id = String(1_700_000_000_000_000_000n + BigInt(random.int(0, 0x7fff_ffff)) * 0x7fff_ffffn);
  return { id, title: random.pick(shapes).replace('{}', topic.name) };
}
