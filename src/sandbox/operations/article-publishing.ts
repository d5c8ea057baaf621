import { summaryForm } from '../dataset/article-forms.ts';
import { nextSnowflake } from '../dataset/snowflake.ts';
import { ownArticle } from '../dataset/visibility.ts';
import { closedObject, jsonResponse, ref } from '../http/contract.ts';
import { idempotencyToken } from '../http/input.ts';
import type { ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { json } from '../http/response.ts';
import { usedBefore } from './articles.ts';

const path = '/api/articles/{id}/published';

/** Publishes an article. The response has no tweet id, so clients read the article again to get it. */
export const publishArticleOperation: ActorOperation = {
  id: 'publishArticle',
  method: 'PUT',
  path,
  access: 'actor',
  contract: {
    summary:
      'Publishes an article, which creates a tweet that wraps it. The article then has its `tweet_id`. Repeating it changes nothing. Problems as in deleteArticle, `premium_required` 403.',
    parameters: ['IdempotencyToken'],
    responses: {
      200: jsonResponse(
        'The article is published.',
        closedObject({ article_id: ref('Id'), published: { const: true } }),
      ),
    },
  },
  handle(call) {
    const { platform, actor } = call;
    const article = ownArticle(call.platform.dataset, call.actor, call.params['id'] ?? '');
    if (article.tweet === null) {
      if (!actor.premium)
        throw new Problem(403, 'premium_required', 'Publishing an article requires a premium account');
      const tweet = nextSnowflake(platform.now(), platform.dataset.lastTweetId);
      platform.commit({ kind: 'publish_article', article: article.id, tweet, at: platform.now() });
    }
    return json({ article_id: article.id, published: true });
  },
};

/**
 * Unpublishes an article. With a repeated idempotency token, the article is unpublished again if necessary, and
 * `was_published` is the value of the first request.
 */
export const unpublishArticleOperation: ActorOperation = {
  id: 'unpublishArticle',
  method: 'DELETE',
  path,
  access: 'actor',
  contract: {
    summary:
      'Makes an article a draft again and deletes its wrapper tweet. Deleting that tweet has the same effect. Repeating it changes nothing. Problems as in deleteArticle.',
    parameters: ['IdempotencyToken'],
    responses: {
      200: jsonResponse(
        'The article is a draft. `was_published` is the state before the call or, with an `idempotency-token` that was used before, the state before that first call.',
        closedObject({ article: ref('ArticleSummary'), was_published: { type: 'boolean' } }),
      ),
    },
  },
  handle(call) {
    const { platform, actor } = call;
    const id = call.params['id'] ?? '';
    const token = idempotencyToken(call);
    const fingerprint = `unpublish article ${id}`;
    const wasBefore = usedBefore(call, token, fingerprint) !== undefined;
    const article = ownArticle(call.platform.dataset, call.actor, id);
    const isNow = article.tweet !== null;
    if (isNow) {
      const tokened = token === undefined ? {} : { token, fingerprint };
      platform.commit({ kind: 'unpublish_article', article: id, author: actor.id, at: platform.now(), ...tokened });
    }
    return json({ article: summaryForm(call, article), was_published: isNow || wasBefore });
  },
};
