import type { TweetEntities } from '../dataset/types.ts';
import { type SafeHtml, safeHtml } from './html.ts';
import { icon } from './icons.ts';
import type { PageCall } from './site.ts';

/** The fields of a user, as the API returns them, that pages show. */
export interface ShownUser {
  readonly id: string;
  readonly screen_name: string;
  readonly name: string;
  readonly description: string;
  readonly location: string | null;
  readonly website: string | null;
  readonly verification: { readonly verified: boolean; readonly premium: boolean };
  readonly avatar_url: string | null;
  readonly banner_url: string | null;
  readonly protected: boolean;
  readonly counts: { readonly followers: number; readonly following: number; readonly tweets: number };
  readonly viewer: { readonly can_dm: boolean; readonly following: boolean; readonly follow_requested: boolean };
}

interface ShownEntities extends Omit<TweetEntities, 'mentions' | 'timestamps'> {
  readonly user_mentions: readonly { screen_name: string; indices: readonly [number, number] }[];
}

/** The fields of a tweet, as the API returns them, that pages show. */
export interface ShownTweet {
  readonly kind: 'tweet';
  readonly id: string;
  readonly text: string;
  readonly lang: string;
  readonly created_at: string;
  readonly in_reply_to: { readonly tweet_id: string } | null;
  readonly article: { readonly id: string } | null;
  readonly media: readonly {
    kind: string;
    url: string;
    video_url: string | null;
    width: number | null;
    height: number | null;
  }[];
  readonly entities: ShownEntities;
  readonly author: ShownUser;
  readonly quoted: ShownTweet | { readonly kind: 'tombstone'; readonly reason: string } | null;
  readonly counts: Readonly<Record<'replies' | 'retweets' | 'quotes' | 'likes' | 'bookmarks', number>> & {
    readonly views: number | null;
  };
  readonly viewer: { readonly liked: boolean; readonly retweeted: boolean; readonly bookmarked: boolean };
}

const tombstones: Readonly<Record<string, string>> = {
  deleted: 'This tweet was deleted.',
  author_suspended: 'The author of this tweet is suspended.',
  author_deleted: 'The author of this tweet no longer exists.',
  protected: 'This tweet is protected: only followers see it.',
};

export function tweetCard(call: PageCall, tweet: ShownTweet, main = false): SafeHtml {
  const { author } = tweet;
  return safeHtml`<article class="tweet${main ? ' main' : ''}" id="t${tweet.id}">${byline(call, tweet)}
<p class="text" lang="${tweet.lang}">${linkedText(tweet)}</p>${
    tweet.article === null
      ? undefined
      : safeHtml`<p><a class="button plain" href="/${author.screen_name}/articles/${tweet.article.id}">Read the article</a></p>`
  }${pictures(tweet)}${quotedCard(call, tweet)}${toolbar(call, tweet)}</article>`;
}

function byline(call: PageCall, { id, author, created_at }: ShownTweet): SafeHtml {
  return safeHtml`<div class="by">${avatar(author)}<div class="who"><a class="name" href="/${author.screen_name}">${author.name}</a>${badge(author)}
<span class="soft">@${author.screen_name} · <a class="soft" href="/${author.screen_name}/status/${id}">${age(call, created_at)}</a></span></div></div>`;
}

function quotedCard(call: PageCall, { quoted }: ShownTweet): SafeHtml | undefined {
  if (quoted === null) return undefined;
  if (quoted.kind === 'tombstone') return safeHtml`<p class="quoted soft">${tombstones[quoted.reason] ?? ''}</p>`;
  return safeHtml`<div class="quoted">${byline(call, quoted)}<p class="text" lang="${quoted.lang}">${linkedText(quoted)}</p>${pictures(quoted)}</div>`;
}

function pictures({ media }: ShownTweet): SafeHtml | undefined {
  if (media.length === 0) return undefined;
  const all = media.map(({ kind, url, video_url, width, height }) => {
    const size = width === null || height === null ? undefined : safeHtml` width="${width}" height="${height}"`;
    return video_url === null
      ? safeHtml`<img loading="lazy" src="${localPath(url)}"${size} alt="A ${kind === 'photo' ? 'photo' : 'film'} of the sandbox">`
      : safeHtml`<video controls preload="none" poster="${localPath(url)}" src="${localPath(video_url)}"${size}></video>`;
  });
  return safeHtml`<div class="media n${media.length}">${all}</div>`;
}

function toolbar({ viewer }: PageCall, tweet: ShownTweet): SafeHtml {
  const { id, author, counts } = tweet;
  const reply = safeHtml`<a class="tool" href="/${author.screen_name}/status/${id}#reply">${icon('reply')}${toolLabel('Reply', counts.replies)}</a>`;
  if (viewer === undefined) {
    return safeHtml`<div class="tools">${reply}<span class="tool">${icon('retweet')}${toolLabel('Retweets', counts.retweets)}</span><span class="tool">${icon('like')}${toolLabel('Likes', counts.likes)}</span></div>`;
  }
  const { liked, retweeted, bookmarked } = tweet.viewer;
  return safeHtml`<div class="tools">${reply}${toggle(id, 'retweet', retweeted, 'Retweet', counts.retweets)}${toggle(id, 'like', liked, 'Like', counts.likes)}${toggle(
    id,
    'bookmark',
    bookmarked,
    'Bookmark',
    counts.bookmarks,
  )}<a class="tool" href="/i/compose?quote=${id}">${icon('quote')}${toolLabel('Quote', counts.quotes)}</a>${
    author.id === viewer.id
      ? safeHtml`<form method="post" action="/i/do/delete"><input type="hidden" name="id" value="${id}"><button class="tool">${icon('delete')}<span class="name">Delete</span></button></form>`
      : undefined
  }</div>`;
}

function toggle(id: string, action: 'like' | 'retweet' | 'bookmark', on: boolean, label: string, count: number) {
  return safeHtml`<form method="post" action="/i/do/${on ? 'un' : ''}${action}"><input type="hidden" name="id" value="${id}"><button class="tool ${action}" aria-pressed="${String(on)}">${icon(action)}${toolLabel(label, count)}</button></form>`;
}

const toolLabel = (label: string, count: number) =>
  safeHtml`<span class="name">${label}</span><span>${count === 0 ? '' : count.toLocaleString('en')}</span>`;

/** Renders the text of a tweet with links at its mentions, tags and URLs. */
function linkedText({ text, entities: { hashtags, symbols, urls, user_mentions } }: ShownTweet): readonly SafeHtml[] {
  const links = [
    ...hashtags.map(({ text: tag, indices }) => ({ indices, href: `/i/search?q=${encodeURIComponent(`#${tag}`)}` })),
    ...symbols.map(({ text: tag, indices }) => ({ indices, href: `/i/search?q=${encodeURIComponent(`$${tag}`)}` })),
    ...user_mentions.map(({ screen_name, indices }) => ({ indices, href: `/${screen_name}` })),
    ...urls.map(({ expanded_url, indices }) => ({ indices, href: expanded_url })),
  ].sort((a, b) => a.indices[0] - b.indices[0]);
  // Indices count code points.
  const points = [...text];
  const piece = (start: number, end?: number) => points.slice(start, end).join('');
  const parts: SafeHtml[] = [];
  let at = 0;
  for (const {
    indices: [start, end],
    href,
  } of links) {
    if (start < at) continue;
    parts.push(safeHtml`${piece(at, start)}<a href="${href}" rel="nofollow noreferrer">${piece(start, end)}</a>`);
    at = end;
  }
  return [...parts, safeHtml`${piece(at)}`];
}

export function userCard(call: PageCall, user: ShownUser): SafeHtml {
  return safeHtml`<article class="user">${avatar(user)}<div><a class="name" href="/${user.screen_name}">${user.name}</a>${badge(user)}
<div class="soft">@${user.screen_name}</div><p class="text">${user.description}</p></div>${followButton(call, user)}</article>`;
}

export function followButton({ viewer }: PageCall, user: ShownUser): SafeHtml | undefined {
  if (viewer === undefined || viewer.id === user.id) return undefined;
  const { following, follow_requested } = user.viewer;
  const label = following ? 'Following' : follow_requested ? 'Requested' : 'Follow';
  const on = following || follow_requested;
  return safeHtml`<form method="post" action="/i/do/${on ? 'unfollow' : 'follow'}"><input type="hidden" name="id" value="${user.id}"><button class="button${on ? ' plain' : ''}" aria-pressed="${String(on)}">${label}<span class="hidden"> ${user.name}</span></button></form>`;
}

export function avatar({ avatar_url }: Pick<ShownUser, 'avatar_url'>): SafeHtml {
  if (avatar_url === null) return safeHtml`<span class="avatar" aria-hidden="true"></span>`;
  return safeHtml`<img class="avatar" src="${localPath(avatar_url)}" width="400" height="400" alt="">`;
}

export function badge({ verification }: Pick<ShownUser, 'verification'>): SafeHtml | undefined {
  if (!verification.verified && !verification.premium) return undefined;
  return safeHtml` <span class="badge" role="img" aria-label="verified">✔</span>`;
}

/** Returns the path of a URL. Pages contain paths only, so that they work with every host name of the sandbox. */
export function localPath(url: string): string {
  return new URL(url).pathname;
}

/** Renders a time as its age, with the time itself as a tooltip. */
export function age({ platform }: Pick<PageCall, 'platform'>, iso: string): SafeHtml {
  const minutes = Math.max(0, Math.floor((platform.now() - Date.parse(iso)) / 60_000));
  const short =
    minutes < 1
      ? 'now'
      : minutes < 60
        ? `${minutes} min`
        : minutes < 1_440
          ? `${Math.floor(minutes / 60)} h`
          : undefined;
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  return safeHtml`<time datetime="${iso}" title="${iso.slice(0, 16).replace('T', ' ')} UTC">${short ?? day.format(new Date(iso))}</time>`;
}
