import type { ActorCall } from '../http/operation.ts';
import type { Article } from './articles.ts';
import { mediaOf } from './uploads.ts';
import type { World } from './world.ts';

type Viewing = Pick<ActorCall, 'platform' | 'actor'>;

/** The wire form of an article without what it says. */
export function summaryForm({ platform: { world }, actor }: Viewing, article: Article) {
  const { id, author, title, tweet, coverId } = article;
  const at = (time: number) => new Date(time).toISOString();
  return {
    id,
    title,
    author_id: author.id,
    status: tweet === null ? 'draft' : 'published',
    tweet_id: tweet?.id ?? null,
    draft_url: tweet === null ? world.origin + draftPath(article) : null,
    public_url: tweet === null ? null : world.origin + publicPath(article),
    cover_media_id: coverId,
    created_at: at(article.createdAt),
    updated_at: at(article.updatedAt),
    viewer: { own: author === actor },
  };
}

export function articleForm(call: Viewing, article: Article) {
  const content = article.content();
  const entities = content.entities.map((entity) =>
    entity.type === 'MEDIA'
      ? { ...entity, url: call.platform.world.origin + (picturePath(call.platform.world, entity.media_id) ?? '/') }
      : entity,
  );
  return { ...summaryForm(call, article), content: { ...content, entities } };
}

export const publicPath = ({ author, id }: Article) => `/${author.screenName}/articles/${id}`;
export const draftPath = ({ author, id }: Article) => `/${author.screenName}/drafts/${id}`;

/** Where the platform shows an upload. */
export function picturePath(world: World, id: string): string | undefined {
  // What an article shows is attached to it, and so it does not go.
  const upload = world.uploads.shown(id, 0);
  return upload && mediaOf(upload).path;
}
