import { picturePath, publicPath } from '../dataset/article-forms.ts';
import type { SandboxArticle } from '../dataset/articles.ts';
import { mediaOf } from '../dataset/uploads.ts';
import { readableArticle } from '../dataset/visibility.ts';
import { notFound } from '../http/problem.ts';
import { userById } from '../operations/users.ts';
import { age, avatar, badge, type ShownUser } from './cards.ts';
import { contentHtml } from './content-html.ts';
import { safeHtml } from './html.ts';
import { actorOf, ask, type PageCall, type PageView } from './site.ts';

/** Renders an article. Everybody may see a published article, and only the author may see a draft. */
export async function articleView(call: PageCall, article: SandboxArticle, isDraft: boolean): Promise<PageView> {
  const { platform, viewer } = call;
  const { id, title, tweet, coverId } = article;
  const isShown = isDraft ? viewer === article.author : tweet !== null;
  if (!isShown) throw notFound('article', id);
  if (!isDraft) readableArticle({ platform, actor: actorOf(call) }, id);
  const { user } = await ask<{ user: ShownUser }>(call, userById, { params: { id: article.author.id } });
  const cover = coverId === null ? undefined : platform.dataset.uploads.shown(coverId, 0);
  const banner =
    cover &&
    safeHtml`<img class="banner" src="${mediaOf(cover).path}" width="${cover.width}" height="${cover.height}" alt="">`;
  const state = tweet === null ? safeHtml`<p class="soft">A draft. Nobody else sees it.</p>` : undefined;
  const published =
    isDraft && tweet !== null ? safeHtml`<p><a href="${publicPath(article)}">It is published.</a></p>` : undefined;
  const body = safeHtml`${banner}
<article class="written"><h1>${title === '' ? 'Without a title' : title}</h1>
<div class="by">${avatar(user)}<div class="who"><a class="name" href="/${user.screen_name}">${user.name}</a>${badge(user)}
<span class="soft">@${user.screen_name} · ${age(call, new Date(article.createdAt).toISOString())}</span></div></div>${state}${published}
${contentHtml(article.content(), (picture) => picturePath(platform.dataset, picture))}</article>`;
  return { status: 200, title: `${title} · ${user.name}`, body };
}
