import { summaryForm } from '../dataset/article-forms.ts';
import { type ArticleContent, mediaIn, readContent } from '../dataset/content.ts';
import type { Upload } from '../dataset/uploads.ts';
import { ownArticle } from '../dataset/visibility.ts';
import { optionalString, requiredString } from '../fields.ts';
import { closedObject, jsonBody, jsonResponse, type OperationContract, ref } from '../http/contract.ts';
import type { ActorCall, ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { json } from '../http/response.ts';
import { badRequest } from '../refusal.ts';

const MAX_TITLE_LENGTH = 100;

interface Changes {
  readonly title?: string;
  readonly content?: ArticleContent;
  readonly cover?: string | null;
}

/** Edits a draft. A published article is refused. Setting the current value again is allowed. */
function edit(
  part: string,
  id: string,
  contract: Pick<OperationContract, 'summary' | 'body'>,
  read: (call: ActorCall) => Changes,
): ActorOperation {
  return {
    id,
    method: 'PUT',
    path: `/api/articles/{id}/${part}`,
    access: 'actor',
    contract: { ...contract, parameters: ['IdempotencyToken'], responses: { 200: 'ArticleSummary' } },
    ...(part === 'content' && { maxJsonBytes: 8 * 1024 * 1024 }),
    handle(call) {
      const article = ownArticle(call.platform.dataset, call.actor, call.params['id'] ?? '');
      const changes = read(call);
      if (article.tweet !== null) throw new Problem(409, 'article_published', 'Only a draft can be edited');
      call.platform.commit({ kind: 'edit_article', article: article.id, at: call.platform.now(), ...changes });
      return json({ article: summaryForm(call, article) });
    },
  };
}

export const setArticleTitle = edit(
  'title',
  'setArticleTitle',
  {
    summary:
      'Sets the title of a draft. Repeating it changes nothing, with or without a token. Problems as in deleteArticle, `article_published` 409.',
    body: jsonBody({
      type: 'object',
      required: ['title'],
      properties: { title: { type: 'string', description: 'Up to 100 characters.' } },
    }),
  },
  ({ body }) => {
    const title = requiredString(body, 'title');
    if ([...title].length > MAX_TITLE_LENGTH)
      throw badRequest('title', `title must have at most ${MAX_TITLE_LENGTH} characters`);
    return { title };
  },
);

export const setArticleContent = edit(
  'content',
  'setArticleContent',
  {
    summary:
      'Sets the content of a draft, up to 8 MiB of JSON. Repeating it changes nothing, with or without a token. Problems as in deleteArticle, `article_published` 409, `not_found` 404 for media of others, `media_refused` 400 for a video.',
    body: jsonBody({ type: 'object', required: ['content'], properties: { content: ref('Content') } }),
  },
  (call) => {
    const content = readContent(call.body['content']);
    for (const id of mediaIn(content)) ownPicture(call, id);
    return { content };
  },
);

export const setArticleCover = edit(
  'cover',
  'setArticleCover',
  {
    summary:
      'Sets the cover of a draft, or removes it with null. Repeating it changes nothing, with or without a token. Problems as in deleteArticle, `article_published` 409, `not_found` 404 for media of others, `media_refused` 400 for a video.',
    body: jsonBody({ type: 'object', required: ['media_id'], properties: { media_id: { type: ['string', 'null'] } } }),
  },
  (call) => {
    const cover = optionalString(call.body, 'media_id') ?? null;
    if (cover !== null) ownPicture(call, cover);
    return { cover };
  },
);

/** Returns one of the actor's own uploads. */
export const mediaById: ActorOperation = {
  id: 'media',
  method: 'GET',
  path: '/api/media/{id}',
  access: 'actor',
  contract: {
    summary: "One of the actor's own uploads. Problems: `not_found` 404.",
    responses: {
      200: jsonResponse(
        'The upload.',
        closedObject({
          media: closedObject({
            id: ref('Id'),
            kind: { enum: ['photo', 'video', 'animated_gif'] },
            width: ref('Count'),
            height: ref('Count'),
          }),
        }),
      ),
    },
  },
  handle({ platform, actor, params }) {
    const { id, kind, width, height } = platform.dataset.uploads.own(params['id'] ?? '', actor, platform.now());
    return json({ media: { id, kind, width, height } });
  },
};

function ownPicture({ platform, actor }: ActorCall, id: string): Upload {
  const upload = platform.dataset.uploads.own(id, actor, platform.now());
  if (upload.kind === 'video') throw new Problem(400, 'media_refused', 'An article can contain pictures only');
  return upload;
}
