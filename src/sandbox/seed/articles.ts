import type { ArticleContent } from '../../shared/rich-text/wire.ts';
import type { ArticleReference } from '../dataset/articles.ts';
import { Phrases } from './phrases.ts';
import { type Prng, prng } from './prng.ts';
import type { Topic } from './topic.ts';
import type { SeedUser } from './users.ts';

const shapes = ['Notes on {}', 'What {} taught me', 'A beginner’s letter about {}', 'A year of {}', 'In praise of {}'];

/** Generates an article for some tweets of premium users. */
export function articleOf(random: Prng, { user }: SeedUser, topic: Topic): ArticleReference | undefined {
  if (!user.premium || user.protected || !random.chance(0.12)) return undefined;
  const id = String(1_700_000_000_000_000_000n + BigInt(random.int(0, 0x7fff_ffff)) * 0x7fff_ffffn);
  const title = random.pick(shapes).replace('{}', topic.name);
  let content: ArticleContent | undefined;
  return {
    id,
    title,
    content: () => {
      content ??= write(id, topic);
      return content;
    },
  };
}

/**
 * Writes the content of an article when it is first read. Uses its own random stream, so that the rest of the dataset
 * does not depend on it.
 */
function write(id: string, topic: Topic): ArticleContent {
  const random = prng(id, 'article');
  const phrases = new Phrases(random);
  const person = { friends: [], emojiHabit: 0 };
  const say = (sentences: number) => Array.from({ length: sentences }, () => phrases.post(person, topic)).join(' ');
  const [link = ''] = topic.links;
  const more = 'More of this';
  return {
    blocks: [
      { type: 'unstyled', text: say(3) },
      { type: 'header-two', text: 'How it began' },
      { type: 'unstyled', text: say(random.int(3, 5)) },
      { type: 'unstyled', text: say(2), within: [0] },
      { type: 'header-two', text: 'What I would do again' },
      ...[2, 3, 4].map((item) => ({ type: 'unstyled', text: say(1), within: [1, item] })),
      { type: 'divider', text: '' },
      {
        type: 'unstyled',
        text: `${more}. ${say(1)}`,
        styles: [{ offset: 0, length: more.length, style: 'BOLD' }],
        ...(link !== '' && { entities: [{ offset: 0, length: more.length, entity: 0 }] }),
      },
    ],
    entities: link === '' ? [] : [{ type: 'LINK', url: link }],
    containers: [
      { type: 'quote' },
      { type: 'unordered-list' },
      { type: 'list-item' },
      { type: 'list-item' },
      { type: 'list-item' },
    ],
  };
}
