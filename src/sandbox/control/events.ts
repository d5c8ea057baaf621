import { type ActivityType, activityTypes } from '../dataset/activity.ts';
import type { Dataset } from '../dataset/dataset.ts';
import { eventForm } from '../dataset/render-event.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { activeUserNamed, visibleTweet } from '../dataset/visibility.ts';
import { type Fields, optionalInteger, optionalString, requiredString } from '../fields.ts';
import { control } from '../http/operation.ts';
import { json } from '../http/response.ts';
import { badRequest } from '../refusal.ts';
import { createEvents } from '../simulator/create-events.ts';

const MAX_EVENTS = 2_000;

export const makeEvents = control('makeEvents', 'POST', '/control/events', ({ platform, body }) => {
  const { dataset } = platform;
  const type = typeOf(requiredString(body, 'type'));
  const target = activeUserNamed(dataset, requiredString(body, 'userName'));
  const count = optionalInteger(body, 'count', 1, MAX_EVENTS) ?? 1;
  const actorName = optionalString(body, 'actor');
  const actor = actorName === undefined ? undefined : activeUserNamed(dataset, actorName);
  if (actor === target) throw badRequest('actor', 'actor must be another user than userName');
  const wish = { type, target, count, actor, tweet: tweetOf(dataset, body, type, target), text: textOf(body, type) };
  return json({ events: createEvents(platform, wish).map((event) => eventForm(event, target)) }, 201);
});

function typeOf(text: string): ActivityType {
  const type = activityTypes.find((known) => known === text);
  if (type === undefined) throw badRequest('type', `type must be one of ${activityTypes.join(', ')}`);
  return type;
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
