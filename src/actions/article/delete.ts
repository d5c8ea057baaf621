import { z } from 'zod';
import { articleId } from '../../shared/model/article.ts';
import { flatPrice, platformAction } from '../action.ts';

export const deleteArticle = platformAction({
  name: 'article/delete',
  method: 'POST',
  path: '/article/delete',
  summary: 'Delete an article of the actor',
  description: 'Deletes a draft, or a published article with its wrapper tweet. A second request returns 404.',
  price: flatPrice,
  effect: 'once',
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
