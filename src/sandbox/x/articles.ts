import { type ArticleContent, readRichText, richTextToWire } from '../../shared/rich-text/wire.ts';
import { mediaIn } from '../dataset/article-entries.ts';
import { articleForm, summaryForm } from '../dataset/article-forms.ts';
import type { SandboxArticle } from '../dataset/articles.ts';
import { nextSnowflake } from '../dataset/snowflake.ts';
import { reversed } from '../dataset/timelines.ts';
import { ownArticle, readableArticle } from '../dataset/visibility.ts';
import { type Fields, optionalString, requiredString } from '../fields.ts';
import type { XOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { badRequest } from '../refusal.ts';
import { readContentState } from './content-state.ts';
import { numberOf, pageOf, paging, sizeOf } from './paging.ts';
import { objectIn, tokened, usedBefore, userOperation, type WriteCall } from './write.ts';

const maxTitleLength = 100;
const maxJsonBytes = 8 * 1024 * 1024;

/** The articles of X's API, which it writes once: https://docs.x.com/x-api/articles */
const ofX: readonly XOperation[] = [
  userOperation('articleCreateDraft', 'POST', '/2/articles/draft', {
    names: ['title', 'content_state', 'content', 'cover_media'],
    status: 201,
    maxJsonBytes,
    async run(call) {
      const { state, actor, body } = call;
      const title = readTitle(body);
      const content = await contentIn(call);
      const cover = coverIn(call);
      const first = usedBefore(call, 'article');
      // A repeated token returns the article of the first call, and makes another one if that was deleted.
      const begun = first === undefined ? undefined : state.dataset.articles.find(first);
      if (begun !== undefined) return { data: formOf(call, begun) };
      const id = nextSnowflake(state.now(), state.dataset.articles.lastId);
      const entry = { kind: 'article', id, author: actor.id, at: state.now(), title, content, cover } as const;
      state.commit({ ...entry, ...tokened(call, 'article') });
      return { data: formOf(call, ownArticle(state.dataset, actor, id)) };
    },
  }),
  userOperation('articlePublish', 'POST', '/2/articles/{id}/publish', {
    run(call) {
      const { state, actor } = call;
      const article = ownOf(call);
      if (article.tweet === null) {
        if (!actor.premium) throw new Problem(403, 'forbidden', 'Publishing an article requires a premium account');
        const tweet = nextSnowflake(state.now(), state.dataset.lastTweetId);
        state.commit({ kind: 'publish_article', article: article.id, tweet, at: state.now() });
      }
      return {
        data: { post_id: article.tweet?.id, ...(call.extended && summaryForm(call.state.dataset, actor, article)) },
      };
    },
  }),
];

/** What X does not offer. */
const extensions: readonly XOperation[] = [
  userOperation('getArticles', 'GET', '/sandbox/articles', {
    query: ['status', ...paging],
    run(call) {
      const { state, actor, query } = call;
      const status = query.get('status');
      if (status !== null && status !== 'draft' && status !== 'published')
        throw badRequest('status', 'status must be draft or published');
      const { items, tokens } = pageOf(
        { ...call, viewer: actor },
        String(status),
        sizeOf(call, [1, 100, 20]),
        (position) => reversed(state.dataset.articles.byAuthor(actor), numberOf(position)),
        (article) => !article.deleted && (status === null || (article.tweet === null) === (status === 'draft')),
      );
      const data = items.map((article) => summaryForm(state.dataset, actor, article));
      return { data, meta: { result_count: data.length, ...tokens } };
    },
  }),
  userOperation('getArticle', 'GET', '/sandbox/articles/{id}', {
    run: ({ state: { dataset }, actor, subject }) => ({
      data: articleForm(dataset, actor, readableArticle(dataset, actor, subject)),
    }),
  }),
  userOperation('changeArticle', 'PUT', '/sandbox/articles/{id}', {
    names: ['title', 'content', 'cover_media_id'],
    maxJsonBytes,
    async run(call) {
      const { state, body } = call;
      const article = ownOf(call);
      const changes = {
        ...('title' in body && { title: readTitle(body) }),
        ...('content' in body && { content: await contentIn(call) }),
        ...('cover_media_id' in body && { cover: pictureIn(call, optionalString(body, 'cover_media_id')) }),
      };
      if (article.tweet !== null) throw new Problem(409, 'article_published', 'Only a draft can be edited');
      state.commit({ kind: 'edit_article', article: article.id, at: state.now(), ...changes });
      return { data: summaryForm(state.dataset, call.actor, article) };
    },
  }),
  userOperation('unpublishArticle', 'POST', '/sandbox/articles/{id}/unpublish', {
    run(call) {
      const { state, actor, subject } = call;
      const fingerprint = `unpublish article ${subject}`;
      const wasBefore = usedBefore(call, fingerprint) !== undefined;
      const article = ownOf(call);
      const isNow = article.tweet !== null;
      const entry = { kind: 'unpublish_article', article: subject, author: actor.id, at: state.now() } as const;
      if (isNow) state.commit({ ...entry, ...tokened(call, fingerprint) });
      // With a repeated token: the state before the first call.
      return { data: { ...summaryForm(state.dataset, actor, article), was_published: isNow || wasBefore } };
    },
  }),
  userOperation('deleteArticle', 'DELETE', '/sandbox/articles/{id}', {
    run(call) {
      const { state, actor, subject } = call;
      const fingerprint = `delete article ${subject}`;
      if (usedBefore(call, fingerprint) === undefined) {
        ownOf(call);
        const entry = { kind: 'delete_article', article: subject, author: actor.id, at: state.now() } as const;
        state.commit({ ...entry, ...tokened(call, fingerprint) });
      }
      return { data: { deleted: true } };
    },
  }),
];

export const articleOperations = [...ofX, ...extensions];

const ownOf = ({ state, actor, subject }: WriteCall) => ownArticle(state.dataset, actor, subject);

function formOf({ state, actor, extended }: WriteCall, article: SandboxArticle) {
  return extended ? summaryForm(state.dataset, actor, article) : { id: article.id, title: article.title };
}

function readTitle(body: Fields): string {
  const title = requiredString(body, 'title');
  if (title !== '' && [...title].length <= maxTitleLength) return title;
  throw badRequest('title', `title must have 1 to ${maxTitleLength} characters`);
}

/** Reads X's `content_state`, or the `content` of the extension, which loses nothing. */
async function contentIn(call: WriteCall): Promise<ArticleContent> {
  const { body, extended } = call;
  const text =
    extended && 'content' in body
      ? readRichText(body['content'], (message) => badRequest('content', message))
      : await readContentState(body['content_state']);
  const content = richTextToWire(text);
  for (const id of mediaIn(content)) pictureIn(call, id);
  return content;
}

function coverIn(call: WriteCall): string | null {
  const cover = objectIn(call.body, 'cover_media', ['media_id', 'media_category']);
  return pictureIn(call, cover && optionalString(cover, 'media_id'));
}

/** Returns the id of one of the actor's own pictures. */
function pictureIn({ state, actor }: WriteCall, id: string | undefined): string | null {
  if (id === undefined) return null;
  const upload = state.dataset.uploads.own(id, actor, state.now());
  if (upload.kind === 'video') throw badRequest('media', 'An article can contain pictures only');
  return id;
}
