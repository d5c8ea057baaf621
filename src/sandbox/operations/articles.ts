import { articleForm, summaryForm } from '../dataset/article-forms.ts';
import type { SandboxArticle } from '../dataset/articles.ts';
import { nextSnowflake } from '../dataset/snowflake.ts';
import { reversed } from '../dataset/timelines.ts';
import { ownArticle, readableArticle } from '../dataset/visibility.ts';
import { closedObject, jsonResponse, ref, replayable } from '../http/contract.ts';
import { idempotencyToken } from '../http/input.ts';
import type { ActorCall, ActorOperation } from '../http/operation.ts';
import { numberOf, pageResponse, pagingOf, takePage } from '../http/paged.ts';
import { Problem } from '../http/problem.ts';
import { json, jsonText, type SandboxResponse } from '../http/response.ts';
import { badRequest } from '../refusal.ts';

/** Creates an empty draft. A repeated idempotency token returns the same draft until the draft is deleted. */
export const createArticleOperation: ActorOperation = {
  id: 'createArticle',
  method: 'POST',
  path: '/api/articles',
  access: 'actor',
  contract: {
    summary: 'Creates an article: a draft without title and content. It survives a crash after the 201.',
    description:
      'A repeated `idempotency-token` returns the article of the first call with its current state. If that article was deleted since, another one is created.',
    parameters: ['IdempotencyToken'],
    responses: { 201: replayable(jsonResponse('The draft.', closedObject({ article: ref('ArticleSummary') }))) },
  },
  handle(call) {
    const { platform, actor } = call;
    const token = idempotencyToken(call);
    const first = usedBefore(call, token, 'article');
    const begun = first === undefined ? undefined : platform.dataset.articles.find(first);
    if (begun !== undefined) return created(call, begun, { 'idempotent-replayed': 'true' });
    const id = nextSnowflake(platform.now(), platform.dataset.articles.lastId);
    const tokened = token === undefined ? {} : { token, fingerprint: 'article' };
    platform.commit({ kind: 'article', id, author: actor.id, at: platform.now(), ...tokened });
    return created(call, ownArticle(call.platform.dataset, call.actor, id));
  },
};

export const articleById: ActorOperation = {
  id: 'article',
  method: 'GET',
  path: '/api/articles/{id}',
  access: 'actor',
  contract: {
    summary:
      "One of the actor's own articles, or a published article of another. Problems: `not_found` 404 (deleted, or another's draft), `protected` 403, `user_suspended` 403.",
    responses: { 200: jsonResponse('The article.', closedObject({ article: ref('Article') })) },
  },
  handle: (call) =>
    json({ article: articleForm(call, readableArticle(call.platform.dataset, call.actor, call.params['id'] ?? '')) }),
};

/** The actor's own articles, newest first. */
export const articles: ActorOperation = {
  id: 'articles',
  method: 'GET',
  path: '/api/articles',
  access: 'actor',
  contract: {
    summary: "The actor's own articles, the one created last first.",
    parameters: [
      {
        name: 'status',
        in: 'query',
        description: 'Only articles of this status.',
        schema: { enum: ['draft', 'published'] },
      },
      'Count',
      'Cursor',
    ],
    responses: {
      200: jsonResponse(
        'A page.',
        closedObject({
          articles: { type: 'array', maxItems: 100, items: ref('ArticleSummary') },
          next_cursor: { type: ['string', 'null'] },
        }),
      ),
    },
  },
  handle(call) {
    const { platform, actor, query } = call;
    const status = query.get('status');
    if (status !== null && status !== 'draft' && status !== 'published') {
      throw badRequest('status', 'status must be draft or published');
    }
    const paging = pagingOf(call, `articles ${status}`, actor.id);
    const own = reversed(platform.dataset.articles.byAuthor(actor), numberOf(paging.after));
    const page = takePage(own, paging.count, (article) => {
      return !article.deleted && (status === null || (article.tweet === null) === (status === 'draft'));
    });
    const items = JSON.stringify(page.items.map((article) => summaryForm(call, article)));
    return pageResponse('', 'articles', items, paging.seal(page.next));
  },
};

/** Deletes an article. Deleting it again is 404, so a client that retries should send the same idempotency token. */
export const deleteArticleOperation: ActorOperation = {
  id: 'deleteArticle',
  method: 'DELETE',
  path: '/api/articles/{id}',
  access: 'actor',
  contract: {
    summary:
      "Deletes one of the actor's own articles with its wrapper tweet. Problems as in article (a second time: `not_found` 404), `forbidden` 403 for another's, `idempotency_conflict` 409.",
    parameters: ['IdempotencyToken'],
    responses: {
      200: replayable(
        jsonResponse(
          'The article is deleted. The header `idempotent-replayed: true` marks the repeated first result of a token.',
          closedObject({ article_id: ref('Id'), deleted: { const: true } }),
        ),
      ),
    },
  },
  handle(call) {
    const { platform, actor } = call;
    const id = call.params['id'] ?? '';
    const token = idempotencyToken(call);
    const fingerprint = `delete article ${id}`;
    if (usedBefore(call, token, fingerprint) !== undefined) return deleted(id, { 'idempotent-replayed': 'true' });
    ownArticle(call.platform.dataset, call.actor, id);
    const tokened = token === undefined ? {} : { token, fingerprint };
    platform.commit({ kind: 'delete_article', article: id, author: actor.id, at: platform.now(), ...tokened });
    return deleted(id);
  },
};

/** Returns what the first request with this idempotency token created or changed, if there was one. */
export function usedBefore({ platform, actor }: ActorCall, token: string | undefined, fingerprint: string) {
  const first = token === undefined ? undefined : platform.tokens.find(actor.id, token, platform.now());
  if (first === undefined || first.fingerprint === fingerprint) return first?.subjectId;
  throw new Problem(409, 'idempotency_conflict', 'This idempotency-token was used for a different request');
}

function created(call: ActorCall, article: SandboxArticle, headers?: Record<string, string>): SandboxResponse {
  return jsonText(JSON.stringify({ article: summaryForm(call, article) }), 201, headers);
}

function deleted(id: string, headers?: Record<string, string>): SandboxResponse {
  return jsonText(JSON.stringify({ article_id: id, deleted: true }), 200, headers);
}
