import type { PlatformEvent } from '../model/event.ts';

/** The JSON of an event (SPEC.md, Payload shapes; DECISIONS.md has those of the other types). */
export function eventBody(id: string, event: PlatformEvent): string {
  return JSON.stringify({ id, type: event.type, created_at: event.createdAt, ...fieldsOf(event) });
}

function fieldsOf({ type, actor, tweet }: PlatformEvent): Record<string, unknown> {
  const actors = { actor_ids: [actor.id], actor_screen_names: [actor.userName] };
  if (tweet === null) return actors;
  if (type === 'tweet.like' || type === 'tweet.retweet') return { tweet_id: tweet.id, ...actors };
  return {
    tweet_id: tweet.id,
    text: tweet.text,
    author_id: actor.id,
    author_screen_name: actor.userName,
    author_name: actor.name,
    ...(type === 'tweet.reply' && { in_reply_to_id: tweet.inReplyToId }),
    ...(type === 'tweet.quote' && { quoted_tweet_id: tweet.quotedTweetId }),
  };
}
