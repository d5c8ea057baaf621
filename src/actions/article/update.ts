import { z } from 'zod';
import { applyTransition, findTransition } from '../../articles/change.ts';
import { prepareEdits } from '../../articles/edits.ts';
import { articleFields, contentCheck, covers } from '../../articles/input.ts';
import { transitions } from '../../articles/states.ts';
import { articleId } from '../../shared/model/article.ts';
import { numericId } from '../../shared/model/scalars.ts';
import { platformAction } from '../action.ts';
import { anyOf, atMostOneOf } from '../input/input.ts';

const { published } = transitions;
const { title, content, ...cover } = articleFields;

const input = z
  .object({ article_id: articleId, title: title.optional(), content: content.optional(), ...cover })
  .check(atMostOneOf(...covers))
  .check(anyOf('title', 'content', ...covers));

export const updatedParts = z
  .object({
    title: z.boolean().meta({ description: 'True if the title changed.' }),
    content: z.boolean().meta({ description: 'True if the content changed.' }),
    cover_media_id: numericId
      .nullable()
      .meta({ description: 'Id of the new cover; null if the cover did not change.' }),
  })
  .meta({ description: 'The parts of an article that changed.' });

export const updateArticle = platformAction({
  name: 'article/update',
  method: 'POST',
  summary: 'Change the title, the content or the cover of an article',
  description:
    'Changes only the given fields. A published article is unpublished, edited and published again, which gives it a new ' +
    'wrapper tweet. If a step fails, the article is restored; if that fails too, the error describes its state.',
  destructive: true,
  takesBase64: true,
  input,
  expensive: contentCheck<z.output<typeof input>>(),
  example: { article_id: '1989000000000000000', title: 'On looms, again' },
  output: z.object({
    article_id: articleId,
    updated: updatedParts.meta({ description: 'The parts that changed.' }),
  }),
  async run({ platform, media, tasks }, { article_id, ...fields }) {
    const { found, transition } = await findTransition(platform, article_id, 'update');
    const edits = await prepareEdits({ platform, media, tasks }, fields);
    // An earlier attempt of this request may have stopped between unpublishing and publishing. In that case the article
    // is a draft now. `unpublish` has the same idempotency token in both attempts, so the platform returns whether the
    // article was published before the first attempt.
    const interrupted = found.status === 'draft' && (await platform.articles.unpublish(article_id));
    if (interrupted)
      await applyTransition(platform.articles, { ...found, status: 'published' }, published.update, edits);
    else await applyTransition(platform.articles, found, transition, edits);
    return {
      article_id,
      updated: {
        title: edits.title !== undefined,
        content: edits.content !== undefined,
        cover_media_id: edits.cover ?? null,
      },
    };
  },
});
