import { answers, closed, ref, takes } from '../contract/schema.ts';
import { type ActivityType, activityTypes } from '../dataset/activity.ts';
import type { Dataset } from '../dataset/dataset.ts';
import { activeUser, visibleTweet } from '../dataset/look-up.ts';
import { eventsJson } from '../dataset/render-event.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { jsonText } from '../http/answer.ts';
import { type Fields, optionalInteger, optionalString, requiredString } from '../http/input.ts';
import type { OpenOperation } from '../http/operation.ts';
import { badRequest } from '../http/problem.ts';
import { makeHappen } from '../simulator/happen.ts';

const MOST = 2_000;

export const makeEvents: OpenOperation = {
  id: 'makeEvents',
  method: 'POST',
  path: '/control/events',
  access: 'control',
  contract: {
    summary:
      'Makes others do something to an account, for real: the tweets, likes and follows are there, and survive a restart.',
    description:
      'It is done by people of the dataset whose credentials nobody has, by different ones as far as there are; then some take it back and do it again. A protected target accepts who follows it. An account without a tweet cannot be liked, retweeted, replied to or quoted (`bad_request` 400); where a protected account bars it: `protected` or `forbidden` 403.',
    body: takes(
      {
        type: 'object',
        required: ['type', 'userName'],
        properties: {
          type: { enum: [...activityTypes] },
          userName: { type: 'string', description: 'The screen name of the account that it happens to.' },
          count: { type: 'integer', minimum: 1, maximum: 2000, default: 1 },
          actor: {
            type: 'string',
            description: 'The screen name of who does it; another account than that of `userName`.',
          },
          tweetId: {
            type: 'string',
            description:
              'Which tweet of the account it is about; its latest one, if left out. Not with mention and follow.',
          },
          text: {
            type: 'string',
            description:
              "What is said, in a mention with the account's name in front unless it has it. When somebody says it again, a number is added. Not with like, retweet and follow.",
          },
        },
      },
      { type: 'like', userName: 'ada', count: 3 },
    ),
    responses: {
      201: answers(
        'As the account sees it in its activity feed.',
        closed({ events: { type: 'array', minItems: 1, maxItems: 2000, items: ref('ActivityEvent') } }),
      ),
    },
  },
  handle({ platform, body }) {
    const { dataset } = platform;
    const type = typeOf(requiredString(body, 'type'));
    const target = userNamed(dataset, requiredString(body, 'userName'));
    const count = optionalInteger(body, 'count', 1, MOST) ?? 1;
    const actorName = optionalString(body, 'actor');
    const actor = actorName === undefined ? undefined : userNamed(dataset, actorName);
    if (actor === target) throw badRequest('actor', 'actor must be somebody else: nobody is told of what they did');
    const wish = { type, target, count, actor, tweet: tweetOf(dataset, body, type, target), text: wordsOf(body, type) };
    return jsonText(`{"events":${eventsJson(makeHappen(platform, wish))}}`, 201);
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
  if (type === 'mention' || type === 'follow') throw badRequest('tweetId', `tweetId does not go with ${type}`);
  const tweet = visibleTweet(dataset, id, target);
  if (tweet.author !== target) throw badRequest('tweetId', `tweetId must be a tweet of @${target.screenName}`);
  return tweet;
}

function wordsOf(body: Fields, type: ActivityType): string | undefined {
  const text = optionalString(body, 'text')?.normalize('NFC').trim();
  if (text !== undefined && !['reply', 'quote', 'mention'].includes(type)) {
    throw badRequest('text', `text does not go with ${type}`);
  }
  return text;
}
