import type { ActivityEvent } from '../dataset/activity.ts';
import { hiddenFrom } from '../dataset/visibility.ts';
import { articles } from '../operations/articles.ts';
import { bookmarksOperation } from '../operations/bookmarks.ts';
import { home } from '../operations/home.ts';
import { searchTweets } from '../operations/search.ts';
import { searchUsersOperation } from '../operations/search-users.ts';
import { age, type ShownTweet, type ShownUser, tweetCard, userCard } from './cards.ts';
import { composer } from './composer.ts';
import { type SafeHtml, safeHtml } from './html.ts';
import { listOf, signInForm } from './layout.ts';
import { ask, type PageCall, type PageView, signedIn } from './site.ts';

interface TweetPage {
  readonly tweets: readonly ShownTweet[];
  readonly next_cursor: string | null;
}

const welcome = safeHtml`<section class="hero"><h1>A small social platform on your machine</h1>
<p>Postern acts on this platform while you have not connected a real one. Its 2,000 users and their tweets are made up. Whatever a program does through Postern appears here,
and whatever you do here reaches webhooks and streams of Postern.</p>
${signInForm('Sign in as')}
<p><a href="/i/lab">The lab</a> makes users act, and makes the platform fail.</p></section>`;

export async function homePage(call: PageCall): Promise<PageView> {
  const page = await ask<TweetPage>(call, home, { query: call.query });
  const top = call.viewer === undefined ? welcome : safeHtml`<h1>Home</h1>${composer({ label: 'What is happening?' })}`;
  return { status: 200, title: 'Home', body: safeHtml`${top}${tweetList(call, page, 'No tweets yet.')}` };
}

export async function bookmarksPage(call: PageCall): Promise<PageView> {
  signedIn(call);
  const page = await ask<TweetPage>(call, bookmarksOperation, { query: call.query });
  const body = safeHtml`<h1>Bookmarks</h1>${tweetList(call, page, 'You have no bookmarks. The bookmark button of a tweet adds one.')}`;
  return { status: 200, title: 'Bookmarks', body };
}

export function tweetList(call: PageCall, page: TweetPage, empty: string): SafeHtml {
  return listOf(
    call,
    page.tweets.map((tweet) => tweetCard(call, tweet)),
    page.next_cursor,
    empty,
  );
}

export async function searchPage(call: PageCall): Promise<PageView> {
  const { query } = call;
  const q = query.get('q')?.trim() ?? '';
  const kind = query.get('f') ?? 'latest';
  const form = safeHtml`<form class="search" role="search" action="/i/search"><label for="q">Search</label><input id="q" type="search" name="q" value="${q}" maxlength="512" placeholder="words, from:ada, filter:images"><button class="button">Search</button></form>`;
  if (q === '') {
    const examples = ['coffee', 'from:grace', 'filter:videos', '#trains'].map(
      (example) => safeHtml`<li><a href="/i/search?q=${encodeURIComponent(example)}">${example}</a></li>`,
    );
    return {
      status: 200,
      title: 'Search',
      body: safeHtml`<h1>Search</h1>${form}<div class="notice"><p>For example:</p><ul>${examples}</ul></div>`,
    };
  }
  const tabs = [
    ['latest', 'Latest'],
    ['top', 'Top'],
    ['users', 'People'],
  ] as const;
  const links = tabs.map(
    ([value, name]) =>
      safeHtml`<a href="/i/search?q=${encodeURIComponent(q)}&amp;f=${value}"${value === kind ? safeHtml` aria-current="page"` : undefined}>${name}</a>`,
  );
  const asked = new URLSearchParams(query);
  asked.set('product', kind === 'top' ? 'top' : 'latest');
  const found =
    kind === 'users'
      ? await usersFound(call)
      : tweetList(call, await ask(call, searchTweets, { query: asked }), 'No tweet matches.');
  return {
    status: 200,
    title: `Search for ${q}`,
    body: safeHtml`<h1>Search</h1>${form}<nav class="tabs" aria-label="Results">${links}</nav>${found}`,
  };
}

async function usersFound(call: PageCall): Promise<SafeHtml> {
  const page = await ask<{ users: readonly ShownUser[]; next_cursor: string | null }>(call, searchUsersOperation, {
    query: call.query,
  });
  return listOf(
    call,
    page.users.map((user) => userCard(call, user)),
    page.next_cursor,
    'Nobody matches.',
  );
}

const maxNotifications = 50;

const sentences: Readonly<Record<ActivityEvent['type'], string>> = {
  mention: 'mentioned you',
  reply: 'replied to you',
  quote: 'quoted you',
  like: 'liked your tweet',
  retweet: 'retweeted your tweet',
  follow: 'followed you',
  chat: 'wrote in your conversation',
};

export function notificationsPage(call: PageCall): PageView {
  const viewer = signedIn(call);
  const items = recentEvents(call, viewer, maxNotifications).map((event) => eventLine(call, event));
  const body = safeHtml`<h1>Notifications</h1>${listOf(call, items, null, 'Nothing has happened yet. The lab can make users like, follow and mention you.')}`;
  return { status: 200, title: 'Notifications', body };
}

/** Returns the latest events of the user's activity feed, newest first. */
export function recentEvents(
  { platform }: Pick<PageCall, 'platform'>,
  user: NonNullable<PageCall['viewer']>,
  count: number,
): readonly ActivityEvent[] {
  const { events } = platform.dataset.activity.since(user, '0', platform.now());
  const shown = Array.from(events, ([event]) => event).filter(
    ({ tweet, chat }) => (tweet === null || hiddenFrom(user, tweet) === undefined) && chat?.fromMe !== true,
  );
  return shown.slice(-count).reverse();
}

export function eventLine(call: PageCall, { type, actor, tweet, at }: ActivityEvent): SafeHtml {
  const what = safeHtml`<p><a class="name" href="/${actor.screenName}">${actor.name}</a> ${sentences[type]} <span class="soft">· ${age(call, new Date(at).toISOString())}</span></p>`;
  const subject =
    tweet !== null
      ? safeHtml`<p class="text"><a class="soft" href="/${tweet.author.screenName}/status/${tweet.id}">${tweet.text}</a></p>`
      : type === 'chat'
        ? safeHtml`<p><a href="/i/messages/${actor.screenName}">Read the conversation</a></p>`
        : undefined;
  return safeHtml`<article class="event">${what}${subject}</article>`;
}

interface ArticleSummary {
  readonly id: string;
  readonly title: string;
  readonly status: 'draft' | 'published';
  readonly updated_at: string;
}

export async function articlesPage(call: PageCall): Promise<PageView> {
  const { screenName } = signedIn(call);
  const page = await ask<{ articles: readonly ArticleSummary[]; next_cursor: string | null }>(call, articles, {
    query: call.query,
  });
  const items = page.articles.map(
    ({ id, title, status, updated_at }) =>
      safeHtml`<article class="event"><a class="name" href="/${screenName}/${status === 'draft' ? 'drafts' : 'articles'}/${id}">${title === '' ? 'Without a title' : title}</a>
<p class="soft">${status === 'draft' ? 'Draft' : 'Published'} · ${age(call, updated_at)}</p></article>`,
  );
  const body = safeHtml`<h1>Articles</h1>${listOf(call, items, page.next_cursor, 'You have no articles. Programs create them with POST /v1/article/create.')}`;
  return { status: 200, title: 'Articles', body };
}
