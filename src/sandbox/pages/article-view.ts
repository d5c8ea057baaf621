import { picturePath, publicPath } from '../dataset/article-forms.ts';
import type { SandboxArticle } from '../dataset/articles.ts';
import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import { mediaOf } from '../dataset/uploads.ts';
import { contentHtml } from './content-html.ts';
import { html, page } from './html.ts';
import { authorLine, hiddenBecause, notice, type PageView } from './views.ts';

/** An article for readers: a published one for everybody, a draft for its author alone. */
export function articleView(
  dataset: Dataset,
  article: SandboxArticle,
  isDraft: boolean,
  viewer: User | undefined,
): PageView {
  const missing = notice(404, 'Nothing here', 'No such article, or it is not published.');
  const { tweet, author } = article;
  if (isDraft) {
    if (viewer !== author) return missing;
  } else {
    if (tweet === null) return missing;
    const hidden = hiddenBecause(tweet);
    if (hidden !== undefined) return notice(hidden.status, 'Not shown', hidden.why);
  }
  const cover = article.coverId === null ? undefined : dataset.uploads.shown(article.coverId, 0);
  const banner =
    cover &&
    html`<img class="banner" src="${mediaOf(cover).path}" width="${cover.width}" height="${cover.height}" alt="">`;
  const state = tweet === null ? html`<p class="soft">A draft. Nobody else sees it.</p>` : undefined;
  const published =
    isDraft && tweet !== null ? html`<p><a href="${publicPath(article)}">It is published.</a></p>` : undefined;
  const body = html`${banner}
<article class="written"><h1>${article.title}</h1>${authorLine(author, article.createdAt)}${state}${published}
${contentHtml(article.content(), (id) => picturePath(dataset, id))}</article>`;
  return { status: 200, body: page(`${article.title} · ${author.name}`, body) };
}
