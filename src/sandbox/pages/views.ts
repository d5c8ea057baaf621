import type { Dataset } from '../dataset/dataset.ts';
import type { AttachedMedia, SandboxTweet, User } from '../dataset/types.ts';
import { html, page, type SafeHtml } from './html.ts';

export interface PageView {
  readonly status: number;
  readonly body: string;
}

const SHOWN = 20;

export function userView(dataset: Dataset, user: User): PageView {
  if (user.state === 'suspended') return notice(403, 'Account suspended', `@${user.screenName} is suspended.`);
  if (user.state === 'deleted') return notice(404, 'Account gone', `@${user.screenName} no longer exists.`);
  const latest: SandboxTweet[] = [];
  for (let at = user.tweets.length - 1; at >= 0 && latest.length < SHOWN && !user.protected; at--) {
    const tweet = dataset.tweets[user.tweets[at] ?? -1];
    if (tweet !== undefined && !tweet.deleted) latest.push(tweet);
  }
  const body = html`${user.banner === null ? undefined : html`<img class="banner" src="${user.banner}" alt="">`}
<header>${avatarOf(user)}<h1>${user.name}${badge(user)}</h1><div class="soft">@${user.screenName}</div>
<p class="text">${user.description}</p>
<div class="soft">${[user.location, user.website].filter((part) => part !== null).join(' · ')}</div>
<p class="counts">${counts({ following: user.followingCount, followers: user.followerCount, tweets: user.tweetCount })}</p></header>
${user.protected ? html`<p class="notice">These tweets are protected: only followers see them.</p>` : latest.map((tweet) => article(dataset, tweet))}`;
  return { status: 200, body: page(`${user.name} (@${user.screenName})`, body) };
}

export function tweetView(dataset: Dataset, tweet: SandboxTweet): PageView {
  const hidden = hiddenBecause(tweet);
  if (hidden !== undefined) return notice(hidden.status, 'Not shown', hidden.why);
  const answers = (tweet.answers ?? [])
    .flatMap((position) => dataset.tweets[position] ?? [])
    .filter((answer) => hiddenBecause(answer) === undefined)
    .slice(0, SHOWN);
  const body = html`${article(dataset, tweet, true)}<h2>Replies</h2>${
    answers.length === 0
      ? html`<p class="notice soft">None yet.</p>`
      : answers.map((answer) => article(dataset, answer))
  }`;
  return { status: 200, body: page(`${tweet.author.name}: ${tweet.text.slice(0, 60)}`, body) };
}

export function notice(status: number, title: string, text: string): PageView {
  return { status, body: page(title, html`<header><h1>${title}</h1><p class="text">${text}</p></header>`) };
}

/** Why nobody in particular may see a tweet. */
export function hiddenBecause(tweet: SandboxTweet): { readonly status: number; readonly why: string } | undefined {
  const { author } = tweet;
  if (tweet.deleted) return { status: 404, why: 'This tweet was deleted.' };
  if (author.state === 'suspended') return { status: 403, why: 'The author of this tweet is suspended.' };
  if (author.state === 'deleted') return { status: 404, why: 'The author of this tweet has gone.' };
  if (author.protected) return { status: 403, why: 'This tweet is protected: only followers see it.' };
  return undefined;
}

function article(dataset: Dataset, tweet: SandboxTweet, main = false): SafeHtml {
  const { author } = tweet;
  const quoted = tweet.quoteOf === null ? undefined : quote(dataset.tweet(tweet.quoteOf));
  const written = tweet.article === null ? undefined : articlePath(author, tweet.article.id);
  return html`<article class="${main ? 'main' : 'one'}">${authorLine(author, tweet.createdAt, linkTo(tweet))}
<p class="text" lang="${tweet.lang}">${tweet.text}</p>${written === undefined ? undefined : html`<p><a href="${written}">Read the article</a></p>`}${tweet.media.map(
    mediaOf,
  )}${quoted}
<p class="counts">${counts({ replies: tweet.replies, retweets: tweet.retweets, quotes: tweet.quotes, likes: tweet.likes, views: tweet.views ?? 0 })}</p></article>`;
}

function mediaOf({ kind, path, videoPath, width, height }: AttachedMedia): SafeHtml {
  const size = width === null || height === null ? undefined : html` width="${width}" height="${height}"`;
  if (videoPath === null) return html`<img class="media" loading="lazy" src="${path}"${size} alt="${kind}">`;
  return html`<video class="media" controls preload="none" poster="${path}" src="${videoPath}"${size}></video>`;
}

/** Who wrote it and when, where that is known with an address of its own. */
export function authorLine(author: User, createdAt: number, href = ''): SafeHtml {
  const when = `${new Date(createdAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return html`<div class="by">${avatarOf(author)}<div>
<a href="/${author.screenName}"><b>${author.name}</b></a>${badge(author)} <span class="soft">@${author.screenName}</span><br>
${href === '' ? html`<span class="soft">${when}</span>` : html`<a class="soft" href="${href}">${when}</a>`}</div></div>`;
}

function quote(tweet: SandboxTweet | undefined): SafeHtml {
  const why = tweet === undefined ? 'This tweet was deleted.' : hiddenBecause(tweet)?.why;
  if (tweet === undefined || why !== undefined) return html`<p class="quoted soft">${why}</p>`;
  return html`<div class="quoted"><b>${tweet.author.name}</b> <a class="soft" href="${linkTo(tweet)}">@${tweet.author.screenName}</a>
<p class="text" lang="${tweet.lang}">${tweet.text}</p></div>`;
}

const articlePath = (author: User, id: string) => `/${author.screenName}/articles/${id}`;
const linkTo = (tweet: SandboxTweet) => `/${tweet.author.screenName}/status/${tweet.id}`;
const badge = (user: User) => (user.verified || user.premium ? html` <span title="verified">✔</span>` : undefined);
const avatarOf = (user: User) =>
  user.avatar === null ? undefined : html`<img class="avatar" src="${user.avatar}" width="400" height="400" alt="">`;
const counts = (of: Record<string, number>) =>
  Object.entries(of).map(([name, count]) => html`<span><b>${count.toLocaleString('en')}</b> ${name}</span>`);
