import { type ActivityType, activityTypes } from '../dataset/activity.ts';
import type { Dataset } from '../dataset/dataset.ts';
import { eventsJson } from '../dataset/render-event.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { activeUser, visibleTweet } from '../dataset/visibility.ts';
import { type Fields, optionalInteger, optionalString, requiredString } from '../fields.ts';
import { closedObject, jsonBody, jsonResponse, ref } from '../http/contract.ts';
import type { ControlOperation } from '../http/operation.ts';
import { jsonText } from '../http/response.ts';
import { badRequest } from '../refusal.ts';
import { createEvents } from '../simulator/create-events.ts';

const MAX_EVENTS = 2_000;

export const makeEvents: ControlOperation = {
  id: 'makeEvents',
  method: 'POST',
  path: '/control/events',
  access: 'control',
  contract: {
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
  handle({ platform, body }) {
    const { dataset } = platform;
    const type = typeOf(requiredString(body, 'type'));
    const target = userNamed(dataset, requiredString(body, 'userName'));
    const count = optionalInteger(body, 'count', 1, MAX_EVENTS) ?? 1;
    const actorName = optionalString(body, 'actor');
    const actor = actorName === undefined ? undefined : userNamed(dataset, actorName);
    if (actor === target) throw badRequest('actor', 'actor must be another user than userName');
    const wish = { type, target, count, actor, tweet: tweetOf(dataset, body, type, target), text: textOf(body, type) };
    return jsonText(`{"events":${eventsJson(createEvents(platform, wish))}}`, 201);
  },
};

function typeOf(text: string): ActivityType {
  const type = activityTypes.find((known) => known === text);
  if (type === undefined) throw badRequest('type', `type must be one of ${activityTypes.join(', ')}`);
  return type;
}

function userNamed(dataset: Dataset, screenName: string): User {
  return activeUser(dataset.userNamed(screenName), screenName);
}

function tweetOf(dataset: Dataset, body: Fields, type: ActivityType, target: User): SandboxTweet | undefined {
  const id = optionalString(body, 'tweetId');
  if (id === undefined) return undefined;
  if (type === 'mention' || type === 'follow') throw badRequest('tweetId', `tweetId is not allowed with type ${type}`);
  const tweet = visibleTweet(dataset, id, target);
  if (tweet.author !== target) throw badRequest('tweetId', `tweetId must be a tweet of @${target.screenName}`);
  return tweet;
}

function textOf(body: Fields, type: ActivityType): string | undefined {
  const text = optionalString(body, 'text')?.normalize('NFC').trim();
  if (text !== undefined && !['reply', 'quote', 'mention'].includes(type)) {
    throw badRequest('text', `text is not allowed with type ${type}`);
  }
  return text;
}
