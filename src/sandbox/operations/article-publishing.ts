import { answers, closed, ref } from '../contract/schema.ts';
import { summaryForm } from '../dataset/article-forms.ts';
import { ownArticle } from '../dataset/look-up.ts';
import { nextSnowflake } from '../dataset/snowflake.ts';
import { json } from '../http/answer.ts';
import { idempotencyToken } from '../http/input.ts';
import type { ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { usedBefore } from './articles.ts';

const path = '/api/articles/{id}/published';

/** Answers before the wrapper tweet can be read: its id is in what is read next. */
export const publishArticle: ActorOperation = {
  id: 'publishArticle',
  method: 'PUT',
  path,
  access: 'actor',
  contract: {
    summary:
      'Publishes an article, which creates a tweet that wraps it. The article then has its `tweet_id`. Repeating it changes nothing. Problems as in deleteArticle, `premium_required` 403.',
    parameters: ['IdempotencyToken'],
    responses: {
      200: answers('The article is published.', closed({ article_id: ref('Id'), published: { const: true } })),
    },
  },
  handle(call) {
    const { platform, actor } = call;
    const article = ownArticle(call, call.params['id'] ?? '');
    if (article.tweet === null) {
      if (!actor.premium) throw new Problem(403, 'premium_required', 'Only premium accounts publish articles');
      const tweet = nextSnowflake(platform.now(), platform.dataset.lastTweetId);
      platform.commit({ kind: 'publish_article', article: article.id, tweet, at: platform.now() });
    }
    return json({ article_id: article.id, published: true });
  },
};

/** It is done however often a token comes; only whether it was published is told as it was the first time. */
export const unpublishArticle: ActorOperation = {
  id: 'unpublishArticle',
  method: 'DELETE',
  path,
  access: 'actor',
  contract: {
    summary:
      'Makes an article a draft again and deletes its wrapper tweet. Deleting that tweet has the same effect. Repeating it changes nothing. Problems as in deleteArticle.',
    parameters: ['IdempotencyToken'],
    responses: {
      200: answers(
        'The article is a draft. `was_published` is the state before the call or, with an `idempotency-token` that was used before, the state before that first call.',
        closed({ article: ref('ArticleSummary'), was_published: { type: 'boolean' } }),
      ),
    },
  },
  handle(call) {
    const { platform, actor } = call;
    const id = call.params['id'] ?? '';
    const token = idempotencyToken(call);
    const fingerprint = `unpublish article ${id}`;
    const wasBefore = usedBefore(call, token, fingerprint) !== undefined;
    const article = ownArticle(call, id);
    const isNow = article.tweet !== null;
    if (isNow) {
      const tokened = token === undefined ? {} : { token, fingerprint };
      platform.commit({ kind: 'unpublish_article', article: id, author: actor.id, at: platform.now(), ...tokened });
    }
    return json({ article: summaryForm(call, article), was_published: isNow || wasBefore });
  },
};
