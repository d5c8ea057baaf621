import { z } from 'zod';
import { applyTransition, findTransition, publish } from '../../articles/change.ts';
import { articleId, articleSummary } from '../../shared/model/article.ts';
import { platformAction } from '../action.ts';

export const publishArticle = platformAction({
  name: 'article/publish',
  method: 'POST',
  summary: 'Publish a draft',
  description: 'Needs a premium account. An article that is already published stays as it is.',
  effect: 'idempotent',
  input: z.object({ article_id: articleId }),
  example: { article_id: '1989000000000000000' },
  output: articleSummary.pick({ article_id: true, tweet_id: true, public_url: true }),
  async run({ platform }, { article_id }) {
    const { tweet_id, public_url } = await publish(platform, article_id);
    return { article_id, tweet_id, public_url };
  },
});

export const unpublishArticle = platformAction({
  name: 'article/unpublish',
  method: 'POST',
  summary: 'Make a published article a draft again',
  description: 'Its wrapper tweet is removed. A draft stays as it is.',
  effect: 'idempotent',
  input: z.object({ article_id: articleId }),
  example: { article_id: '1989000000000000000' },
  output: z.object({ article_id: articleId }),
  async run({ platform }, { article_id }) {
    const { found, transition } = await findTransition(platform, article_id, 'unpublish');
    await applyTransition(platform.articles, found, transition, {});
    return { article_id };
  },
});

export const deleteArticle = platformAction({
  name: 'article/delete',
  method: 'POST',
  summary: 'Delete an article of the actor',
  description: 'Deletes a draft, or a published article with its wrapper tweet. A second request returns 404.',
  destructive: true,
  input: z.object({ article_id: articleId }),
  example: { article_id: '1989000000000000000' },
  output: z.object({ article_id: articleId }),
  async run({ platform }, { article_id }) {
    // Do not read the article first. When this request is sent again the article no longer exists, but the platform
    // recognizes the idempotency token of the deletion.
    await platform.articles.delete(article_id);
    return { article_id };
  },
});
