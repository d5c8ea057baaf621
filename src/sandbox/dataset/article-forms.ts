import type { SandboxArticle } from './articles.ts';
import type { Dataset } from './dataset.ts';
import type { User } from './types.ts';
import { mediaOf } from './uploads.ts';

/** Builds the JSON form of an article without its content. */
export function summaryForm(dataset: Dataset, actor: User, article: SandboxArticle) {
  const { id, author, title, tweet, coverId } = article;
  const at = (time: number) => new Date(time).toISOString();
  return {
    id,
    title,
    author_id: author.id,
    status: tweet === null ? 'draft' : 'published',
    tweet_id: tweet?.id ?? null,
    draft_url: tweet === null ? dataset.origin + draftPath(article) : null,
    public_url: tweet === null ? null : dataset.origin + publicPath(article),
    cover_media_id: coverId,
    created_at: at(article.createdAt),
    updated_at: at(article.updatedAt),
    viewer: { own: author === actor },
  };
}

export function articleForm(dataset: Dataset, actor: User, article: SandboxArticle) {
  const content = article.content();
  const entities = content.entities.map((entity) =>
    entity.type === 'MEDIA'
      ? { ...entity, url: dataset.origin + (picturePath(dataset, entity.media_id) ?? '/') }
      : entity,
  );
  return { ...summaryForm(dataset, actor, article), content: { ...content, entities } };
}

const publicPath = ({ author, id }: SandboxArticle) => `/${author.screenName}/articles/${id}`;
const draftPath = ({ author, id }: SandboxArticle) => `/${author.screenName}/drafts/${id}`;

/** Returns the path of the picture of an upload. */
export function picturePath(dataset: Dataset, id: string): string | undefined {
  // An upload that an article uses cannot expire, so any time can be passed here.
  const upload = dataset.uploads.shown(id, 0);
  return upload && mediaOf(upload).path;
}
