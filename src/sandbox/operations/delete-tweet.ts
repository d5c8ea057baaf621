import { visibleTweet } from '../dataset/visibility.ts';
import { closedObject, jsonResponse, ref, replayable } from '../http/contract.ts';
import { idempotencyToken } from '../http/input.ts';
import type { ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { jsonText, type SandboxResponse } from '../http/response.ts';

/** Deletes a tweet. Deleting it again is 404, so a client that retries should send the same idempotency token. */
export const deleteTweetOperation: ActorOperation = {
  id: 'deleteTweet',
  method: 'DELETE',
  path: '/api/tweets/{id}',
  access: 'actor',
  contract: {
    summary:
      "Deletes one of the actor's own tweets. Problems as in tweetById (a second time: `tweet_deleted` 404), `forbidden` 403 for another's, `idempotency_conflict` 409.",
    parameters: ['IdempotencyToken'],
    responses: {
      200: replayable(
        jsonResponse(
          'The tweet is deleted. The header `idempotent-replayed: true` marks the repeated first result of a token.',
          closedObject({ tweet_id: ref('Id'), deleted: { const: true } }),
        ),
      ),
    },
  },
  handle(call) {
    const { platform, actor } = call;
    const id = call.params['id'] ?? '';
    const token = idempotencyToken(call);
    const fingerprint = `delete ${id}`;
    const first = token === undefined ? undefined : platform.tokens.find(actor.id, token, platform.now());
    if (first !== undefined) {
      if (first.fingerprint === fingerprint) return deleted(id, { 'idempotent-replayed': 'true' });
      throw new Problem(409, 'idempotency_conflict', 'This idempotency-token was used for a different request');
    }
    const tweet = visibleTweet(platform.dataset, id, actor);
    if (tweet.author !== actor) throw new Problem(403, 'forbidden', 'Only its author can delete a tweet', { id });
    platform.commit({
      kind: 'delete',
      user: actor.id,
      tweet: id,
      at: platform.now(),
      ...(token === undefined ? {} : { token, fingerprint }),
    });
    return deleted(id);
  },
};

function deleted(id: string, headers?: Record<string, string>): SandboxResponse {
  return jsonText(JSON.stringify({ tweet_id: id, deleted: true }), 200, headers);
}
