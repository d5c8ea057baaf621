import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { picturePath } from '../dataset/article-forms.ts';
import { tweetCounts, userCounts } from '../dataset/counts.ts';
import type { Dataset } from '../dataset/dataset.ts';
import type { SandboxTweet } from '../dataset/types.ts';
import { activeUser, hiddenFrom, isShownTo, readableArticle, visibleTweet } from '../dataset/visibility.ts';
import { problemOf } from '../http/problem.ts';
import type { SandboxState } from '../platform.ts';
import { notFound } from '../refusal.ts';
import { contentHtml } from './content-html.ts';
import { type SafeHtml, safeHtml } from './html.ts';

const style = readFileSync(new URL('./page.css', import.meta.url));
const stylePath = '/media/page.css';

const policy = "default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'self'; base-uri 'none'";

/** `formAction` names the addresses to which a form of the page may lead (CSP, `form-action`). */
export const pageHeaders = (formAction = "'none'") => ({
  'cache-control': 'no-store',
  'content-security-policy': `${policy}; form-action ${formAction}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
});

/** The visitor of a page has no account, so pages show what everybody may see. */
const visitor = null;
const maxTweets = 20;

type Page = { readonly title: string; readonly body: SafeHtml };

/** The pages to which URLs in the API lead. */
const pages: readonly (readonly [path: RegExp, render: (dataset: Dataset, ...parts: string[]) => Page])[] = [
  [/^\/(\w{1,15})$/, profilePage],
  [/^\/(\w{1,15})\/status\/(\d{1,20})(?:\/(?:photo|video)\/\d)?$/, tweetPage],
  [/^\/(\w{1,15})\/(articles|drafts)\/(\d{1,20})$/, articlePage],
];

/** Serves the page of a tweet, a profile or an article. Returns false if the path is none of them. */
export async function servePage(
  { dataset, journal }: SandboxState,
  path: string,
  { method }: Pick<IncomingMessage, 'method'>,
  response: ServerResponse,
): Promise<boolean> {
  if ((method !== 'GET' && method !== 'HEAD') || /^\/(?:2|api|realms|sandbox|control)\//.test(path)) return false;
  const send = (status: number, type: string, body: string | Buffer) => {
    response.writeHead(status, {
      'content-type': `${type}; charset=utf-8`,
      'content-length': Buffer.byteLength(body),
      ...pageHeaders(),
    });
    response.end(method === 'HEAD' ? undefined : body);
    return true;
  };
  if (path === stylePath) return send(200, 'text/css', style);
  for (const [pattern, render] of pages) {
    const match = pattern.exec(path);
    if (match === null) continue;
    // A page may show only writes that are on disk, like every other response.
    if (journal.pending) await journal.settled();
    try {
      return send(200, 'text/html', pageHtml(render(dataset, ...match.slice(1))));
    } catch (error) {
      const { status, message } = problemOf(error);
      const body = safeHtml`<h1>Not available</h1><p>${message}.</p>`;
      return send(status, 'text/html', pageHtml({ title: 'Not available', body }));
    }
  }
  return false;
}

export function pageHtml({ title, body }: Page): string {
  return safeHtml`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Sandbox</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${stylePath}"></head>
<body><main>${body}</main></body></html>
`.text;
}

function profilePage(dataset: Dataset, name: string): Page {
  const user = activeUser(dataset.userNamed(name), name);
  const shown = user.tweets.filter((tweet) => hiddenFrom(visitor, tweet) === undefined);
  const counts = userCounts(user, visitor);
  const tweets = isShownTo(visitor, user)
    ? shown.slice(-maxTweets).reverse().map(tweetHtml)
    : safeHtml`<p>This account is protected: only followers see its tweets.</p>`;
  const avatar = user.avatar === null ? undefined : safeHtml`<img src="${user.avatar}" width="64" height="64" alt="">`;
  const place = [user.location, user.website].filter((part) => part !== null).join(' · ');
  const body = safeHtml`${avatar}<h1>${user.name}</h1><p class="soft">@${user.screenName} · ${place}</p><p class="text">${user.description}</p>
<p class="soft">${counts.following} following · ${counts.followers} followers · ${counts.tweets} tweets</p>${tweets}`;
  return { title: `${user.name} (@${user.screenName})`, body };
}

function tweetPage(dataset: Dataset, name: string, id: string): Page {
  const tweet = visibleTweet(dataset, id, visitor);
  const { author } = tweet;
  if (author !== dataset.userNamed(name)) throw notFound('tweet', id);
  const { quoteOf } = tweet;
  const isShown = quoteOf !== null && hiddenFrom(visitor, quoteOf) === undefined;
  const quote = isShown ? safeHtml`<blockquote>${tweetHtml(quoteOf)}</blockquote>` : undefined;
  return {
    title: `${author.name}: ${tweet.text.slice(0, 60)}`,
    body: safeHtml`<h1>Tweet of ${author.name}</h1>${tweetHtml(tweet)}${quote}`,
  };
}

function tweetHtml(tweet: SandboxTweet): SafeHtml {
  const { id, author, text, lang, createdAt, media, article } = tweet;
  const { replies, retweets, likes } = tweetCounts(tweet, visitor);
  const pictures = media.map(({ path, videoPath }) =>
    videoPath === null
      ? safeHtml`<img loading="lazy" src="${path}" alt="A picture of the sandbox">`
      : safeHtml`<video controls preload="none" poster="${path}" src="${videoPath}"></video>`,
  );
  const link = article && safeHtml`<p><a href="/${author.screenName}/articles/${article.id}">Read the article</a></p>`;
  return safeHtml`<article class="tweet"><p><a href="/${author.screenName}">${author.name}</a> <span class="soft">@${author.screenName}</span></p>
<p class="text" lang="${lang}">${text}</p>${pictures}${link ?? undefined}
<p class="soft"><a href="/${author.screenName}/status/${id}">${timeHtml(createdAt)}</a> · ${replies} replies · ${retweets} retweets · ${likes} likes</p></article>`;
}

/** Shows an article. Anybody on this machine who knows the address of a draft may read the draft. */
function articlePage(dataset: Dataset, name: string, folder: string, id: string): Page {
  const found = dataset.articles.find(id);
  if (found === undefined || found.author !== dataset.userNamed(name)) throw notFound('article', id);
  const article = folder === 'drafts' && found.tweet === null ? found : readableArticle(dataset, visitor, id);
  const { title, author, coverId, createdAt } = article;
  const cover = coverId === null ? undefined : picturePath(dataset, coverId);
  const body = safeHtml`${cover && safeHtml`<img class="banner" src="${cover}" alt="">`}<h1>${title || 'Without a title'}</h1>
<p class="soft"><a href="/${author.screenName}">${author.name}</a> · ${article.tweet === null ? 'draft of ' : ''}${timeHtml(createdAt)}</p>
<article>${contentHtml(article.content(), (picture) => picturePath(dataset, picture))}</article>`;
  return { title: `${title} · ${author.name}`, body };
}

function timeHtml(at: number): SafeHtml {
  const iso = new Date(at).toISOString();
  return safeHtml`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
