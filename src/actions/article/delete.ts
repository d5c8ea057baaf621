import { z } from 'zod';
import { articleId } from '../../shared/model/article.ts';
import { flatPrice, platformAction } from '../action.ts';

export const deleteArticle = platformAction({
  name: 'article/delete',
  method: 'POST',
  path: '/article/delete',
  summary: 'Delete an article of your own',
  description: 'Draft or published, with its wrapper tweet. A second time it is 404.',
  price: flatPrice,
  effect: 'once',
  input: z.object({ article_id: articleId }),
  example: { article_id: '1989000000000000000' },
  output: z.object({ article_id: articleId }),
  async run({ platform }, { article_id }) {
    // Not looked at first: a request that is sent again would find it gone, where the platform knows by its token.
    await platform.articles.delete(article_id);
    return { article_id };
  },
});
