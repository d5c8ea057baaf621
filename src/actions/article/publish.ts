import { z } from 'zod';
import { publish } from '../../articles/change.ts';
import { articleId, articleSummary } from '../../shared/model/article.ts';
import { flatPrice, platformAction } from '../action.ts';

export const publishArticle = platformAction({
  name: 'article/publish',
  method: 'POST',
  path: '/article/publish',
  summary: 'Publish a draft',
  description: 'Needs a premium account. An article that is already published stays as it is.',
  price: flatPrice,
  effect: 'idempotent',
  input: z.object({ article_id: articleId }),
  example: { article_id: '1989000000000000000' },
  output: articleSummary.pick({ article_id: true, tweet_id: true, public_url: true }),
  async run({ platform }, { article_id }) {
    const { tweet_id, public_url } = await publish(platform, article_id);
    return { article_id, tweet_id, public_url };
  },
});
