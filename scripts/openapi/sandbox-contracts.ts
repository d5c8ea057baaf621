import { activityTypes } from '../../src/sandbox/dataset/activity.ts';
import { selectionParameters } from '../../src/sandbox/x/selection.ts';

export type Schema = Readonly<Record<string, unknown>>;

/**
 * Describes an operation in `schema/sandbox.openapi.json`. The method, path and access are those of the operation.
 * Strings are names of the document's components, which are written by hand.
 */
export interface OperationContract {
  /** One sentence that describes the operation, followed by the problems that the operation may return. */
  readonly summary: string;
  readonly description?: string;
  /** The query and header parameters. Path parameters are derived from the path. */
  readonly parameters?: readonly Schema[];
  readonly body?: string | Schema;
  /** The responses by status. Any operation may also return a problem. */
  readonly responses: Readonly<Record<number, string | Schema>>;
}

/** Returns a reference to a schema of the document. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * Declares an object schema that allows only these properties. All properties are required except those in `optional`.
 */
export function closedObject(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties, additionalProperties: false };
}

/** Declares a JSON response. */
export function jsonResponse(description: string, schema: Schema): Schema {
  return { description, content: { 'application/json': { schema } } };
}

/** Declares a JSON request body. */
export function jsonBody(schema: Schema, example?: unknown): Schema {
  return { required: true, content: { 'application/json': { schema, ...(example !== undefined && { example }) } } };
}

/** Declares query parameters of X's API. */
function texts(names: readonly string[]): Schema[] {
  return names.map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
}

const formBody = (properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema => ({
  required: true,
  content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', required, properties } } },
});
const page: Schema = { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } };
const redirect: Schema = {
  description: 'The address of the app, with `code` or `error`, and `state`.',
  headers: { location: { schema: { type: 'string' } } },
};
const oauthError = jsonResponse(
  'An error (RFC 6749, section 5.2).',
  closedObject({ error: { type: 'string' }, error_description: { type: 'string' } }),
);

const paging = ['max_results', 'pagination_token'];

/** The contracts of the sandbox's operations beside X's API, by operationId. */
export const contracts: Readonly<Record<string, OperationContract>> = {
  activity: {
    summary:
      'The activity feed of the actor, oldest event first. Without a token: no events, and a token for the end of the feed.',
    description:
      "The feed has mentions of the actor, replies to, quotes, likes and retweets of the actor's tweets, follows (of a protected actor, once they are accepted), and the events of the actor's conversations by both sides. It has no other actions of the actor, no events by suspended or deleted accounts, and no tweet that is hidden from the actor or was deleted since. All events of a conversation stay in the feed, in order. After a message is deleted for all, the events of the message, its edits and its reactions have `detail` and `signature` null. A tweet makes at most one event for each account, whose `types` are all that apply. An action that is undone and repeated is a new event. The last 10,000 events of the last 7 days are kept for each account. An older token continues at the oldest event, with `gap` true. If SANDBOX_ACTIVITY is on, users of the dataset act on a demo account every few seconds while its feed was read within the last minute.",
    parameters: [
      { name: 'max_results', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      {
        name: 'pagination_token',
        in: 'query',
        description:
          '`next_token` of an earlier page of the same actor, of any age. Any other value, or one from before a reset, is 400.',
        schema: { type: 'string' },
      },
      {
        name: 'wait_ms',
        in: 'query',
        description:
          'With a token and without events after it, the request waits for the next event, at most this many milliseconds. It may end earlier without events: when the dataset is reset, when the sandbox stops, and at once while 32 requests for this feed or 1,000 in all wait.',
        schema: { type: 'integer', minimum: 0, maximum: 60_000, default: 0 },
      },
    ],
    responses: {
      200: jsonResponse(
        'A page. Fewer events than `max_results` means that there are no more yet.',
        closedObject({
          data: { type: 'array', maxItems: 100, items: ref('ActivityEvent') },
          meta: closedObject({
            gap: { type: 'boolean', description: 'Whether events between the token and this page are no longer kept.' },
            next_token: { type: 'string', description: 'Always present, even on an empty page.' },
          }),
        }),
      ),
    },
  },
  realmRequest: {
    summary: "A request of Juicebox's protocol to a key realm, as one CBOR item of at most 2 KiB.",
    description:
      'The token is one of `token_map` in the `juicebox_config` of a user, and the header `x-juicebox-version` is required. Twenty guesses are allowed, which are on disk before the response; one more destroys the record. The addresses of the three realms are in `juicebox_config` too.',
    body: { required: true, content: { 'application/octet-stream': { schema: {} } } },
    responses: {
      200: { description: 'The response, as one CBOR item.', content: { 'application/octet-stream': { schema: {} } } },
    },
  },
  makeEvents: {
    summary: 'Makes other users act on an account. The tweets, likes and follows are real, and survive a restart.',
    description:
      'The acting users have no credentials. Each acts once while there are enough of them; after that, users undo the action and repeat it. A protected target accepts new followers. `bad_request` 400 if the type needs a tweet of the account and there is none. `protected` or `forbidden` 403 if a protected account does not allow the action.',
    body: jsonBody(
      {
        type: 'object',
        required: ['type', 'userName'],
        properties: {
          type: { enum: [...activityTypes] },
          userName: { type: 'string', description: 'The screen name of the account that the event is about.' },
          count: { type: 'integer', minimum: 1, maximum: 2000, default: 1 },
          actor: {
            type: 'string',
            description: 'The screen name of the user who acts, which must differ from `userName`.',
          },
          tweetId: {
            type: 'string',
            description: 'The tweet of the account. Default: its latest one. Not allowed with mention and follow.',
          },
          text: {
            type: 'string',
            description:
              "The text of the tweet. A mention that lacks the account's name gets it as a prefix. A repeated text gets a number. Not allowed with like, retweet and follow.",
          },
        },
      },
      { type: 'like', userName: 'ada', count: 3 },
    ),
    responses: {
      201: jsonResponse(
        'The events as the account sees them in its activity feed.',
        closedObject({ events: { type: 'array', minItems: 1, maxItems: 2000, items: ref('ActivityEvent') } }),
      ),
    },
  },
  setFault: {
    summary:
      'Injects a fault into later requests and into requests for activity that wait. If several faults match a request, the oldest applies. Faults are lost when the sandbox stops.',
    body: jsonBody(ref('FaultRule'), {
      fault: { kind: 'rate_limit', retry_after: 3 },
      operation: 'searchPostsAll',
      times: 2,
    }),
    responses: { 201: jsonResponse('The fault waits for a request.', closedObject({ id: { type: 'string' } })) },
  },
  listFaults: {
    summary: 'Lists the faults that wait for a request.',
    responses: {
      200: jsonResponse(
        'Oldest first.',
        closedObject({
          faults: {
            type: 'array',
            items: {
              allOf: [
                ref('FaultRule'),
                {
                  type: 'object',
                  required: ['id', 'times'],
                  properties: {
                    id: { type: 'string' },
                    times: {
                      description:
                        'The number of requests that the fault still affects. Null: all until it is cleared.',
                    },
                  },
                },
              ],
            },
          },
        }),
      ),
    },
  },
  clearFaults: {
    summary: 'Removes all faults.',
    body: 'Empty',
    responses: { 200: jsonResponse('The number of removed faults.', closedObject({ cleared: ref('Count') })) },
  },
  acceptFollowRequest: {
    summary:
      'Accepts a follow request for a protected user. If there is none: `not_found` 404 with resource `follow_request`.',
    body: jsonBody(
      {
        type: 'object',
        required: ['target', 'follower'],
        properties: {
          target: { type: 'string', description: 'The protected user: a user id or a screen name.' },
          follower: { type: 'string', description: 'The user who asked to follow: a user id or a screen name.' },
        },
      },
      { target: 'linus', follower: 'ada' },
    ),
    responses: {
      200: jsonResponse(
        'The ids of both users.',
        closedObject({ target: ref('Id'), follower: ref('Id'), accepted: { const: true } }),
      ),
    },
  },
  addFollowers: {
    summary: 'Creates accounts without credentials that follow a user, for tests of long lists.',
    description:
      'The follows make no events, and a protected user gets the followers at once. The accounts survive a restart. Problems: `not_found` 404.',
    body: jsonBody(
      {
        type: 'object',
        required: ['userName', 'count'],
        properties: {
          userName: { type: 'string', description: 'The screen name of the user to follow.' },
          count: { type: 'integer', minimum: 1, maximum: 20_000 },
        },
      },
      { userName: 'ada', count: 500 },
    ),
    responses: {
      201: jsonResponse(
        'The number of all followers that the user has now.',
        closedObject({ followers: ref('Count') }),
      ),
    },
  },
  controlInfo: {
    summary: 'Describes the dataset, with the credentials of its demo accounts.',
    responses: {
      200: jsonResponse(
        'The dataset.',
        closedObject({
          seed: { type: 'string' },
          started_at: ref('Time'),
          demo: closedObject({
            accounts: { type: 'array', items: ref('Account') },
            appToken: { type: 'string', description: "A token of X's API v2 that belongs to no user (app-only)." },
            listId: ref('Id'),
            organization: {
              type: 'string',
              description: 'The screen name of a verified organization with affiliates.',
            },
          }),
          counts: closedObject({ users: ref('Count'), tweets: ref('Count') }),
        }),
      ),
    },
  },
  makeMessages: {
    summary:
      'Sends a direct message between two users. The chat keys of the sender must derive from the seed, so an account that registered its own keys cannot send. Problems: `no_chat_keys` 409.',
    body: jsonBody({
      type: 'object',
      required: ['from', 'to'],
      properties: {
        from: { type: 'string', description: 'Screen name.' },
        to: { type: 'string', description: 'Screen name.' },
        kind: ref('ChatEventKind'),
        text: { type: 'string' },
        emoji: { type: 'string' },
        seq_id: {
          ...ref('Id'),
          description:
            "The message to edit, delete or react to. Default: the sender's last message for edits and deletions, the other's last one for reactions.",
        },
        corrupt: {
          type: 'boolean',
          description: 'Flips one bit of the encrypted content, so that it cannot be decrypted.',
        },
      },
    }),
    responses: {
      201: jsonResponse(
        'The event was sent.',
        closedObject({ conversation_id: ref('ConversationId'), event: ref('ChatEvent') }),
      ),
    },
  },
  mintAccounts: {
    summary: 'Creates accounts with tokens. They follow nobody, and survive a restart.',
    body: jsonBody(
      {
        type: 'object',
        properties: {
          userName: {
            type: 'string',
            pattern: '^[A-Za-z0-9_]{1,15}$',
            description:
              'The screen name, or the prefix of the names if `count` is above 1. A name that exists is `name_taken` 409.',
          },
          premium: { type: 'boolean', default: false },
          protected: { type: 'boolean', default: false },
          chatKeys: {
            type: 'boolean',
            default: true,
            description:
              'If false, the accounts have no chat keys until they enroll, and `encryptionCode` is a suggestion.',
          },
          count: { type: 'integer', minimum: 1, maximum: 10000, default: 1 },
        },
      },
      { userName: 'newcomer', premium: true },
    ),
    responses: {
      201: jsonResponse('The accounts.', closedObject({ accounts: { type: 'array', items: ref('Account') } })),
    },
  },
  setRateLimit: {
    summary:
      'Limits each actor to `limit` requests per window. A window begins with the first request. Further requests are `rate_limited` 429 with Retry-After. Null removes the limit; the sandbox starts without one.',
    body: jsonBody(
      {
        type: 'object',
        required: ['limit'],
        properties: {
          limit: { type: ['integer', 'null'], minimum: 0, maximum: 1000000000 },
          window_seconds: { type: 'integer', minimum: 1, maximum: 86400, default: 900 },
        },
      },
      { limit: 100, window_seconds: 60 },
    ),
    responses: {
      200: jsonResponse(
        'The new limit.',
        closedObject({ limit: { type: ['integer', 'null'] }, window_seconds: { type: ['integer', 'null'] } }),
      ),
    },
  },
  controlOAuth: {
    summary:
      'Sets the lifetime of access tokens (until a restart or a reset; 7,200 seconds at first), registers a client, and ends all grants of the user `revoke`, as the settings of the platform do.',
    body: jsonBody(
      {
        type: 'object',
        properties: {
          access_token_seconds: { type: 'integer', minimum: 1, maximum: 86400 },
          client: {
            type: 'object',
            required: ['client_id', 'redirect_uris'],
            properties: {
              client_id: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
              client_secret: { type: ['string', 'null'], description: 'Null, or left out: a public client.' },
              redirect_uris: { type: 'array', maxItems: 10, items: { type: 'string' } },
              name: { type: 'string' },
            },
          },
          revoke: { type: 'string', description: 'A screen name.' },
        },
      },
      { access_token_seconds: 5 },
    ),
    responses: {
      200: jsonResponse(
        'The state of the sign-in.',
        closedObject({
          access_token_seconds: { type: 'integer' },
          clients: { type: 'array', items: { type: 'string' } },
          grants: ref('Count'),
          revoked: ref('Count'),
        }),
      ),
    },
  },
  oauth2Authorize: {
    summary:
      'The consent page. An unknown client or address is shown as a page with 400. Other errors are sent to the address.',
    parameters: texts([
      'response_type',
      'client_id',
      'redirect_uri',
      'scope',
      'state',
      'code_challenge',
      'code_challenge_method',
    ]),
    responses: { 200: page, 303: redirect },
  },
  oauth2Consent: {
    summary:
      'The form of the consent page. The code in the new address is valid for 30 seconds, and once. `user` may be any account with credentials.',
    body: formBody({ request: { type: 'string' }, user: { type: 'string' }, decision: { enum: ['allow', 'deny'] } }),
    responses: { 303: redirect },
  },
  oauth2Token: {
    summary:
      'Exchanges a code, or a refresh token, for new tokens. Each works once; a second use ends the grant with all its tokens. Confidential clients authenticate with Basic.',
    body: formBody(
      {
        grant_type: { enum: ['authorization_code', 'refresh_token'] },
        client_id: { type: 'string' },
        code: { type: 'string' },
        redirect_uri: { type: 'string' },
        code_verifier: { type: 'string' },
        refresh_token: { type: 'string' },
      },
      ['grant_type'],
    ),
    responses: {
      200: jsonResponse(
        'The tokens.',
        closedObject(
          {
            token_type: { const: 'bearer' },
            expires_in: { type: 'integer' },
            access_token: { type: 'string' },
            scope: { type: 'string' },
            refresh_token: { type: 'string', description: 'Only with the scope `offline.access`.' },
          },
          ['refresh_token'],
        ),
      ),
      400: oauthError,
      401: oauthError,
    },
  },
  oauth2Revoke: {
    summary: 'Ends the grant of an access or refresh token, with all its tokens (RFC 7009).',
    body: formBody({ token: { type: 'string' }, client_id: { type: 'string' } }, ['token']),
    responses: {
      200: jsonResponse('Done, also if the token is not known.', closedObject({ revoked: { const: true } })),
      400: oauthError,
      401: oauthError,
    },
  },
  resetDataset: {
    summary:
      'Replaces the dataset by that of the seed. Faults, the rate limit, counts, created accounts, grants and clients of the sign-in, and idempotency tokens are removed too.',
    body: 'Empty',
    responses: { 200: jsonResponse('Done.', closedObject({ reset: { const: true } })) },
  },
  controlStats: {
    summary:
      'Counts since the start or the last reset. Requests that a fault affected are counted. Requests under `/control` are not.',
    responses: {
      200: jsonResponse(
        'The counts.',
        closedObject({
          requests: { type: 'object', additionalProperties: ref('Count'), description: 'By operationId.' },
          tweets_created: ref('Count'),
          likes: ref('Count'),
          waiting: {
            type: 'object',
            additionalProperties: ref('Count'),
            description: 'Requests for activity that wait at present, by user id.',
          },
          oauth: closedObject({
            codes_exchanged: ref('Count'),
            refused_codes: ref('Count'),
            refreshes: ref('Count'),
            refused_refreshes: ref('Count'),
            reused_refresh_tokens: ref('Count'),
            revocations: ref('Count'),
            repeated_refresh_tokens: {
              type: 'object',
              additionalProperties: ref('Count'),
              description:
                'How often the refresh tokens that were used more than once were used, by the first 16 hex digits of their SHA-256 hash.',
            },
          }),
        }),
      ),
    },
  },
  createdTweets: {
    summary: 'Lists all tweets that createTweet made, oldest first and in one response.',
    parameters: [
      { name: 'author', in: 'query', schema: { type: 'string' }, description: 'A user id.' },
      {
        name: 'since_id',
        in: 'query',
        schema: { type: 'string', pattern: '^[0-9]{1,20}$' },
        description: 'Only later tweets.',
      },
    ],
    responses: {
      200: jsonResponse(
        'The tweets.',
        closedObject({
          tweets: {
            type: 'array',
            items: closedObject({
              id: ref('Id'),
              author_id: ref('Id'),
              text: { type: 'string' },
              created_at: ref('Time'),
              likes: ref('Count'),
              deleted: { type: 'boolean' },
            }),
          },
        }),
      ),
    },
  },
  getSandboxHome: {
    summary: "The actor's ranked home feed.",
    parameters: texts([...paging, ...selectionParameters.posts]),
    responses: { 200: 'XPosts' },
  },
  getFollowersYouKnow: {
    summary: 'The followers of a user whom the actor follows.',
    parameters: texts([...paging, ...selectionParameters.users]),
    responses: { 200: 'XUsers' },
  },
  getUserAbout: {
    parameters: texts([...selectionParameters.users]),
    summary: 'Where and how the account of a user was made, and its verification.',
    responses: { 200: 'XAbout' },
  },
  getArticles: {
    summary: "The actor's own articles, the one created last first.",
    parameters: [
      { name: 'status', in: 'query', schema: { enum: ['draft', 'published'] } },
      { name: 'max_results', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      { name: 'pagination_token', in: 'query', schema: { type: 'string' } },
    ],
    responses: {
      200: jsonResponse(
        'A page.',
        closedObject({ data: { type: 'array', maxItems: 100, items: ref('ArticleSummary') }, meta: ref('XMeta') }),
      ),
    },
  },
  getArticle: {
    summary: "One of the actor's own articles, or a published article of another, with its content.",
    responses: { 200: jsonResponse('The article.', closedObject({ data: ref('Article') })) },
  },
  changeArticle: {
    summary: 'Changes parts of a draft. Repeating it changes nothing. A published article is refused with 409.',
    body: jsonBody({
      type: 'object',
      properties: {
        title: { type: 'string', description: '1 to 100 characters.' },
        content: ref('Content'),
        cover_media_id: { type: ['string', 'null'] },
      },
    }),
    responses: {
      200: jsonResponse('The draft.', closedObject({ data: ref('ArticleSummary') })),
    },
  },
  unpublishArticle: {
    summary: 'Makes an article a draft again and deletes its wrapper tweet. Deleting that tweet has the same effect.',
    responses: {
      200: jsonResponse(
        'The article is a draft. `was_published` is the state before the call or, with an `idempotency-token` that was used before, the state before that first call.',
        closedObject({
          data: {
            type: 'object',
            required: ['was_published'],
            properties: { was_published: { type: 'boolean' } },
          },
        }),
      ),
    },
  },
  deleteArticle: {
    summary:
      "Deletes one of the actor's own articles with its wrapper tweet. A second time it is 404, unless the `idempotency-token` is the same.",
    responses: {
      200: jsonResponse('The article is deleted.', closedObject({ data: closedObject({ deleted: { const: true } }) })),
    },
  },
};
