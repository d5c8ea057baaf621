import { Problem } from '../http/problem.ts';
import { replies } from '../operations/replies.ts';
import { tweetById } from '../operations/tweets.ts';
import { type ShownTweet, tweetCard } from './cards.ts';
import { composer } from './composer.ts';
import { type SafeHtml, safeHtml } from './html.ts';
import { ask, type PageCall, type PageView } from './site.ts';
import { tweetList } from './timeline-pages.ts';

/** The limit of tweets that are shown above a reply. */
const maxAncestors = 10;

/** Shows a tweet with the tweets that it replies to above it, and its replies below it. */
export async function threadPage(call: PageCall, id: string): Promise<PageView> {
  const tweet = await tweetAt(call, id);
  const page = await ask<{ tweets: readonly ShownTweet[]; next_cursor: string | null }>(call, replies, {
    params: { id },
    query: call.query,
  });
  const { author } = tweet;
  const reply =
    call.viewer === undefined ? undefined : composer({ label: `Reply to @${author.screen_name}`, replyTo: id });
  const body = safeHtml`<h1 class="hidden">Tweet of ${author.name}</h1>${await ancestors(call, tweet)}${tweetCard(call, tweet, true)}${reply}<h2>Replies</h2>${tweetList(call, page, 'No replies yet.')}`;
  return { status: 200, title: `${author.name}: ${tweet.text.slice(0, 60)}`, body };
}

async function ancestors(call: PageCall, tweet: ShownTweet): Promise<readonly SafeHtml[]> {
  const cards: SafeHtml[] = [];
  let above = tweet.in_reply_to;
  while (above !== null && cards.length < maxAncestors) {
    try {
      const parent: ShownTweet = await tweetAt(call, above.tweet_id);
      cards.unshift(tweetCard(call, parent));
      above = parent.in_reply_to;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      cards.unshift(safeHtml`<p class="notice soft">${error.message}.</p>`);
      above = null;
    }
  }
  return cards;
}

async function tweetAt(call: PageCall, id: string): Promise<ShownTweet> {
  return (await ask<{ tweet: ShownTweet }>(call, tweetById, { params: { id } })).tweet;
}
