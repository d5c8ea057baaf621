import type { OutputOf } from '../../../actions/action.ts';
import { createArticle } from '../../../actions/article/create.ts';
import { deleteArticle } from '../../../actions/article/delete.ts';
import { publishArticle } from '../../../actions/article/publish.ts';
import { unpublishArticle } from '../../../actions/article/unpublish.ts';
import { updateArticle, updatedParts } from '../../../actions/article/update.ts';
import { articleByIdField } from './article.ts';
import { mutation } from './mutation.ts';
import { ArticleRef } from './refs.ts';
import { objectOf } from './zod-types.ts';

const files = { cover_image_base64: 'coverImage' };

/** The `article` field of payloads that contain only the article's id. */
const theArticle = {
  type: ArticleRef,
  ...articleByIdField(({ article_id }: { article_id: string }) => article_id),
};

mutation('createArticle', createArticle, {
  input: { files },
  payload: {
    fields: (t) => ({
      article: t.field({
        type: ArticleRef,
        ...articleByIdField(({ article_id }: OutputOf<typeof createArticle>) => article_id, {
          known: ['status', 'draftUrl', 'publicUrl', 'coverMediaId'],
          source: (made) => made,
        }),
      }),
    }),
  },
});

objectOf('UpdatedArticleParts', updatedParts);

mutation('updateArticle', updateArticle, {
  input: { files },
  payload: {
    fields: (t) => ({ article: t.field(theArticle) }),
  },
});
mutation('publishArticle', publishArticle, {
  payload: {
    fields: (t) => ({ article: t.field(theArticle) }),
  },
});
mutation('unpublishArticle', unpublishArticle, {
  payload: {
    fields: (t) => ({ article: t.field(theArticle) }),
  },
});
mutation('deleteArticle', deleteArticle);
