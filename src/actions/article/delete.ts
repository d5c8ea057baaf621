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
  input: z.object({ article_id: articleId }),
  example: { article_id: '1989000000000000000' },
  output: z.object({ article_id: articleId }),
  async run({ platform }, { article_id }) {
    // The article is not read first: it would be gone if this request is sent again, and the platform recognizes the token of the deletion.
    await platform.articles.delete(article_id);
    return { article_id };
  },
});
