import { jsonText } from '../http/answer.ts';
import { type Fields, optionalInteger, optionalString, requiredString } from '../http/input.ts';
import type { OpenOperation } from '../http/operation.ts';
import { badRequest } from '../http/problem.ts';
import { makeHappen } from '../life/happen.ts';
import { type ActivityType, activityTypes } from '../world/activity.ts';
import { activeUser, visibleTweet } from '../world/look-up.ts';
import { eventsJson } from '../world/render-event.ts';
import type { Tweet, User } from '../world/types.ts';
import type { World } from '../world/world.ts';

const MOST = 2_000;

export const makeEvents: OpenOperation = {
  id: 'makeEvents',
  method: 'POST',
  path: '/control/events',
  access: 'control',
  handle({ platform, body }) {
    const { world } = platform;
    const type = typeOf(requiredString(body, 'type'));
    const target = userNamed(world, requiredString(body, 'userName'));
    const count = optionalInteger(body, 'count', 1, MOST) ?? 1;
    const actorName = optionalString(body, 'actor');
    const actor = actorName === undefined ? undefined : userNamed(world, actorName);
    if (actor === target) throw badRequest('actor', 'actor must be somebody else: nobody is told of what they did');
    const wish = { type, target, count, actor, tweet: tweetOf(world, body, type, target), text: wordsOf(body, type) };
    return jsonText(`{"events":${eventsJson(makeHappen(platform, wish))}}`, 201);
  },
};

function typeOf(text: string): ActivityType {
  const type = activityTypes.find((known) => known === text);
  if (type === undefined) throw badRequest('type', `type must be one of ${activityTypes.join(', ')}`);
  return type;
}

function userNamed(world: World, screenName: string): User {
  return activeUser(world.userNamed(screenName), screenName);
}

function tweetOf(world: World, body: Fields, type: ActivityType, target: User): Tweet | undefined {
  const id = optionalString(body, 'tweetId');
  if (id === undefined) return undefined;
  if (type === 'mention' || type === 'follow') throw badRequest('tweetId', `tweetId does not go with ${type}`);
  const tweet = visibleTweet(world, id, target);
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
