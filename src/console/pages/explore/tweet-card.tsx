import type { ComponentChildren } from 'preact';
import type { Media } from '../../../shared/model/media.ts';
import type { QuotedTweet, Tweet } from '../../../shared/model/tweet.ts';
import { count, Time } from '../../ui/format.tsx';
import { ForeignLink, Link, pathTo } from './links.tsx';
import { keep } from './paid-calls.ts';
import { Icon, type IconName, Person } from './person.tsx';
import type { ExplorerCall } from './requests.ts';

export function tweetCall(id: string): ExplorerCall {
  return { name: 'tweet/detail', input: { tweet_id: id } };
}

/** A tweet with its author, text, media and counts. `main` is true for the tweet that the page is about. */
export function TweetCard({ tweet, main = false }: { tweet: Tweet; main?: boolean }) {
  return (
    <article class={main ? 'tweet main' : 'tweet'}>
      <Content tweet={tweet} onOpen={() => keep(tweetCall(tweet.id), tweet)} />
      {tweet.quoted_tweet && (
        <div class="quoted">
          <Content tweet={tweet.quoted_tweet} />
        </div>
      )}
      <Counts tweet={tweet} />
    </article>
  );
}

function Content({ tweet, onOpen }: { tweet: Tweet | QuotedTweet; onOpen?: () => void }) {
  const { author, lang, createdAt, id, media } = tweet;
  return (
    <>
      <Person user={author}>
        <Link to={pathTo.tweet(id)} class="soft" {...(onOpen && { onOpen })}>
          <Time at={new Date(createdAt).toISOString()} />
        </Link>
      </Person>
      <p class="text" lang={lang} dir="auto">
        {linkedText(tweet)}
      </p>
      {media.length > 0 && <MediaList media={media} />}
    </>
  );
}

/** Returns the text of a tweet with links at its mentions, tags and addresses. */
function linkedText({ text, entities }: Tweet | QuotedTweet): ComponentChildren[] {
  const marked = [
    ...entities.hashtags.map(({ text: tag, indices }) => ({ indices, to: pathTo.search(`#${tag}`) })),
    ...entities.symbols.map(({ text: tag, indices }) => ({ indices, to: pathTo.search(`$${tag}`) })),
    ...entities.user_mentions.map(({ screen_name, indices }) => ({ indices, to: pathTo.user(screen_name) })),
    ...entities.urls.map((url) => ({ indices: url.indices, url })),
  ].sort((a, b) => a.indices[0] - b.indices[0]);
  // Indices count code points.
  const points = [...text];
  const parts: ComponentChildren[] = [];
  let at = 0;
  for (const mark of marked) {
    const [start, end] = mark.indices;
    if (start < at) continue;
    parts.push(points.slice(at, start).join(''));
    const piece = points.slice(start, end).join('');
    if ('to' in mark) parts.push(<Link to={mark.to}>{piece}</Link>);
    else parts.push(<ForeignLink to={mark.url.expanded_url}>{mark.url.display_url}</ForeignLink>);
    at = end;
  }
  return [...parts, points.slice(at).join('')];
}

/** Lists photos and videos. The console loads nothing from other origins, so they open in a new tab. */
function MediaList({ media }: { media: readonly Media[] }) {
  return (
    <ul class="media-list">
      {media.map(({ type, url, video_url, width, height, duration_ms }) => (
        <li key={url}>
          <Icon name={video_url === null ? 'photo' : 'film'} />
          <span class="media-kind">{type}</span>
          <span class="soft">
            {[width && height && `${width} × ${height}`, duration_ms && `${Math.round(duration_ms / 1_000)} s`]
              .filter(Boolean)
              .join(', ')}
          </span>
          <ForeignLink to={video_url ?? url}>
            Open<span class="visually-hidden"> the {type} in a new tab</span>
          </ForeignLink>
        </li>
      ))}
    </ul>
  );
}

function Counts({ tweet }: { tweet: Tweet }) {
  const counts: readonly [IconName, string, number | null][] = [
    ['reply', 'Replies', tweet.replyCount],
    ['retweet', 'Retweets', tweet.retweetCount],
    ['quote', 'Quotes', tweet.quoteCount],
    ['like', 'Likes', tweet.likeCount],
    ['bookmark', 'Bookmarks', tweet.bookmarkCount],
    ['views', 'Views', tweet.viewCount],
  ];
  return (
    <ul class="counts">
      {counts.map(
        ([icon, label, value]) =>
          value !== null && (
            <li key={icon} title={label}>
              <Icon name={icon} />
              <span class="visually-hidden">{label} </span>
              {count(value)}
            </li>
          ),
      )}
    </ul>
  );
}
