import { createHash } from 'node:crypto';
import { mainSchema as applyWrites } from '@atcute/atproto/types/repo/applyWrites';
import { mainSchema as createRecord } from '@atcute/atproto/types/repo/createRecord';
import { mainSchema as getRecord } from '@atcute/atproto/types/repo/getRecord';
import { mainSchema as listRecords } from '@atcute/atproto/types/repo/listRecords';
import { mainSchema as getLatestCommit } from '@atcute/atproto/types/sync/getLatestCommit';
import type { Blob } from '@atcute/lexicons';
import { malformedField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ArticleStatus, ArticleSummary } from '../../shared/model/article.ts';
import type { Page } from '../../shared/model/page.ts';
import type { TaskRunner } from '../../shared/threads/task.ts';
import { usualLimits } from '../http/answer.ts';
import type {
  ArticleContent,
  ArticleEdits,
  ArticlePlace,
  NewArticle,
  PageRequest,
  PlatformArticle,
  PlatformArticles,
} from '../port.ts';
import {
  blobUrl,
  coverOf,
  createdAtOf,
  type Entry,
  maxContentBytes,
  type Picture,
  pageOf,
  readEntry,
  statusOf,
  usedPictures,
} from './article-record.ts';
import { articleTasks } from './article-tasks.ts';
import type { Deletions } from './deletions.ts';
import { parseRecordUri } from './identifiers.ts';
import type { MediaStore } from './media.ts';
import { asProblem, type Subject, subjectNotFound } from './problems.ts';
import { collections, type Records, type StrongRef } from './records.ts';
import type { PageParams, RawPage, ServerSession } from './server-session.ts';
import { firstGraphemes } from './write-post.ts';
import { XrpcError } from './xrpc.ts';

type Did = `did:${string}:${string}`;
type Write = { collection: string; rkey: string } & ({ create: object } | { update: object } | { delete: true });

/** The maximum size of the picture in a link card, according to the lexicon `app.bsky.embed.external`. */
const maxThumbBytes = 1_000_000;
/** Articles are read in chunks of this number, because each has up to 100,000 bytes. */
const articlesAtOnce = 25;
/** The maximum number of chunks in one page. A server may send chunks without articles for ever. */
const maxChunks = 8;
const maxTries = 5;
/** A failed update is undone within this time. The pictures that the update replaced are kept until then. */
const undoMs = 10 * 60_000;

const collection = collections.article;
const articleSubject = (id: string): Subject => ({ kind: 'Article', id });

interface OwnEntry {
  uri: StrongRef['uri'];
  did: Did;
  key: string;
  entry: Entry;
  /** The record with all its fields, also those that the adapter does not know. */
  value: object;
}

/**
 * The articles of one actor: records of `com.whtwnd.blog.entry` (docs/decisions.md, Articles on the AT
 * Protocol). Publishing, unpublishing and deleting write the article and its tweet in one commit. Every write names
 * the commit that it is based on. If the account has changed since that commit, the article is read again and the
 * write is repeated.
 */
export class AtprotoArticles implements PlatformArticles {
  readonly areWrittenOnce = false;
  readonly #actor: ServerSession;
  readonly #records: Records;
  readonly #media: MediaStore;
  readonly #deletions: Deletions;
  readonly #now: () => number;

  constructor(
    actor: ServerSession,
    parts: { records: Records; media: MediaStore; deletions: Deletions; now: () => number },
  ) {
    this.#actor = actor;
    this.#records = parts.records;
    this.#media = parts.media;
    this.#deletions = parts.deletions;
    this.#now = parts.now;
  }

  async mayPublish(): Promise<boolean> {
    return true;
  }

  async createDraft(article: NewArticle): Promise<ArticlePlace> {
    const { key, createdAt } = this.#records.keyFor('createArticle');
    const repo = (await this.#actor.did()) as Did;
    const uri = `at://${repo}/${collection}/${key}`;
    // The id of the article contains the id of its author, which must be stored before the article exists.
    await this.#actor.viewerId();
    const earlier = await this.#records.read(repo, collection, key);
    if (earlier !== null) return this.#summaryOf(uri, readEntry(earlier.value) ?? { content: '' });
    const { fieldsOf, added } = await this.#prepare(article);
    const { postern: _postern, ...fields } = fieldsOf({ content: '' });
    const record = {
      $type: collection,
      title: '',
      content: '',
      createdAt,
      theme: 'github-light',
      visibility: 'author',
      ...fields,
      ...(added.length > 0 && { blobs: added.map(({ blobref, name }) => ({ blobref, name })) }),
      postern: { updatedAt: createdAt },
    };
    await this.#actor.about(null)(createRecord, { input: { repo, collection, rkey: key, record } });
    return this.#summaryOf(uri, record as Entry);
  }

  async change(articleId: string, edits: ArticleEdits): Promise<void> {
    const { fieldsOf, added } = await this.#prepare(edits);
    return this.#edit(articleId, fieldsOf, added);
  }

  async publish(articleId: string): Promise<ArticlePlace> {
    const { key, createdAt } = this.#records.keyFor('publishArticle');
    let place: ArticlePlace | undefined;
    await this.#change(articleId, async ({ uri, did, entry, value, key: rkey }) => {
      place = this.#summaryOf(uri, entry);
      if (place.status === 'published') return [];
      const postern = {
        updatedAt: entry.postern?.updatedAt ?? createdAt,
        post: `at://${did}/${collections.post}/${key}`,
      } as const;
      const { isDraft: _isDraft, ...rest } = value as { isDraft?: unknown };
      place = this.#summaryOf(uri, { ...entry, isDraft: false, visibility: 'public', postern } as Entry);
      return [
        { collection: collections.post, rkey: key, create: await this.#wrapperOf(uri, entry, createdAt) },
        { collection, rkey, update: { ...rest, visibility: 'public', postern } },
      ];
    });
    await this.#actor.ids.save();
    if (place === undefined) throw new Error('the plan of a change was not called');
    return place;
  }

  async unpublish(articleId: string): Promise<boolean> {
    const unpublishedBy = hashOf(this.#actor.call.tokenFor('unpublishArticle'));
    let wasPublished = false;
    await this.#change(articleId, async ({ entry, value, key: rkey }) => {
      if (statusOf(entry) === 'draft') {
        wasPublished = entry.postern?.unpublishedBy === unpublishedBy;
        return [];
      }
      wasPublished = true;
      const updatedAt = entry.postern?.updatedAt ?? new Date(this.#now()).toISOString();
      return [
        ...(await this.#removalOfPost(entry)),
        { collection, rkey, update: { ...value, visibility: 'author', postern: { updatedAt, unpublishedBy } } },
      ];
    });
    return wasPublished;
  }

  async delete(articleId: string): Promise<void> {
    const token = this.#actor.call.tokenFor('deleteArticle');
    const name = `${token} ${articleId}`;
    try {
      await this.#change(articleId, async ({ entry, key: rkey }) => {
        // The deletion is noted before it is made, because its response may be lost.
        await this.#deletions.note(name);
        return [...(await this.#removalOfPost(entry)), { collection, rkey, delete: true }];
      });
    } catch (error) {
      const isGone = error instanceof PosternError && error.reason === 'resource_not_found';
      if (!isGone || !(await this.#deletions.isNoted(name))) throw error;
    }
  }

  async article(articleId: string): Promise<PlatformArticle> {
    const subject = articleSubject(articleId);
    const uri = await this.#actor.ids.uriOf(articleId, collection, subject);
    const { did = '', key = '' } = parseRecordUri(uri) ?? {};
    const isOwn = did === (await this.#actor.did());
    const record = isOwn ? await this.#records.read(did, collection, key) : await this.#foreign(did, key, subject);
    const entry = readEntry(record?.value);
    // The record of another user's draft can be read, but is not meant to be shown.
    if (entry === null || (!isOwn && statusOf(entry) === 'draft')) throw subjectNotFound(subject);
    const summary = this.#summaryOf(uri, entry);
    await this.#actor.ids.save();
    return { ...summary, content: { markdown: entry.content }, isOwn };
  }

  async list(status: ArticleStatus | null, page: PageRequest): Promise<Page<ArticleSummary>> {
    const repo = (await this.#actor.did()) as Did;
    const read = async (entries: readonly FoundEntry[]) => {
      const matching = entries.filter(({ entry }) => status === null || statusOf(entry) === status);
      const summaries = matching.map(({ uri, entry }) => this.#summaryOf(uri, entry));
      await this.#actor.ids.save();
      return summaries;
    };
    return this.#actor.page(page, (paging) => this.#entriesOf(repo, paging), read);
  }

  /** Returns the URIs of the tweets that publish a user's articles. */
  async postsOf(did: string, paging: PageParams): Promise<RawPage<string>> {
    const { items, cursor: next } = await this.#entriesOf(did as Did, paging);
    const posts = items.flatMap(({ entry }) => (statusOf(entry) === 'published' ? (entry.postern?.post ?? []) : []));
    return { items: posts, cursor: next };
  }

  async isPicture(mediaId: string): Promise<boolean> {
    return (await this.#media.find(this.#actor, mediaId)).kind !== 'video';
  }

  /** The address of a picture does not contain its media id, so the picture is uploaded again, which stores no second blob. */
  mediaAt(): null {
    return null;
  }

  get #tasks(): TaskRunner {
    if (!this.#actor.call.tasks) throw new Error('articles need a task runner');
    return this.#actor.call.tasks;
  }

  /** Returns the fields of a record that change, and the pictures that it needs. */
  async #prepare({ title, content, cover }: ArticleEdits) {
    const { pds, did } = await this.#actor.login();
    const written = content && (await this.#write(content));
    const uploaded = cover ? await this.#uploaded(cover).catch(ignoreUnknown) : null;
    const coverFields = (entry: Entry) => {
      if (cover === undefined) return {};
      if (cover === null) return { ogp: entry.postern?.replacedOgp };
      // After a failed update the previous cover is set again. Its upload may have expired, but its picture is still in the record.
      const picture = uploaded ?? entry.blobs?.find(({ name }) => name === cover);
      if (!picture) throw subjectNotFound({ kind: 'Media', id: cover });
      const size = uploaded?.width && uploaded.height ? { width: uploaded.width, height: uploaded.height } : {};
      const foreign = entry.ogp && !coverOf(entry) ? { replacedOgp: entry.ogp } : {};
      return { ogp: { url: blobUrl(pds.origin, did, picture.blobref as Blob), ...size }, postern: foreign };
    };
    const fieldsOf = (entry: Entry): { ogp?: unknown; postern?: object; title?: string; content?: string } => ({
      ...(title !== undefined && { title }),
      ...(written && { content: written.markdown }),
      ...coverFields(entry),
    });
    return { fieldsOf, added: [...(written?.pictures ?? []), ...(uploaded ? [uploaded] : [])] };
  }

  async #write(content: ArticleContent) {
    if ('markdown' in content) return { markdown: content.markdown, pictures: [] };
    const text = content.richText;
    const ids = await this.#tasks.run(articleTasks.mediaIds, { text });
    const { pds, did } = await this.#actor.login();
    const pictures = await Promise.all(ids.map((id) => this.#uploaded(id)));
    const urls = new Map(pictures.map(({ name, blobref }) => [name, blobUrl(pds.origin, did, blobref)]));
    const markdown = await this.#tasks.run(articleTasks.writeMarkdown, { text, urls });
    const bytes = Buffer.byteLength(markdown);
    if (bytes > maxContentBytes) {
      const limit = `the platform accepts ${maxContentBytes} bytes of Markdown, with the addresses of the images`;
      throw malformedField('content', `has ${bytes} bytes: ${limit}`);
    }
    return { markdown, pictures };
  }

  /** Changes fields of a draft, and adds pictures to its record. */
  #edit(
    articleId: string,
    fieldsOf: (entry: Entry) => { ogp?: unknown; postern?: object },
    added: readonly (Picture & { name: string })[],
  ): Promise<void> {
    return this.#change(articleId, async ({ entry, value, uri, key: rkey }) => {
      if (statusOf(entry) === 'published') throw new PosternError('platform_conflict', 'The article is published');
      const { postern, ...fields } = fieldsOf(entry);
      const { updatedAt, ...rest } = { updatedAt: createdAtOf(entry, uri), ...entry.postern };
      const mayBeUndone = this.#now() - new Date(updatedAt).getTime() < undoMs;
      const pictures = mayBeUndone ? (entry.blobs ?? []) : usedPictures(entry);
      const names = new Set<string | undefined>(added.map(({ name }) => name));
      const kept = (pictures as Picture[]).filter(({ name }) => !names.has(name));
      const blobs = [...kept, ...added.map(({ blobref, name }) => ({ blobref, name }))];
      const now = new Date(this.#now()).toISOString();
      return [
        { collection, rkey, update: { ...value, blobs, ...fields, postern: { ...rest, ...postern, updatedAt: now } } },
      ];
    });
  }

  /**
   * Makes the writes that `plan` returns for the actor's article, in one commit. If the account changes between the
   * reading of the article and the commit, both are repeated.
   */
  async #change(articleId: string, plan: (article: OwnEntry) => Promise<Write[]>): Promise<void> {
    const repo = (await this.#actor.did()) as Did;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { cid: swapCommit } = await this.#actor.about(null)(getLatestCommit, { params: { did: repo } });
      const writes = await plan(await this.#own(articleId));
      if (writes.length === 0) return;
      try {
        await this.#actor.raw(applyWrites, { input: { repo, swapCommit, writes: writes.map(asWrite) as never } });
        return;
      } catch (error) {
        if (!(error instanceof XrpcError && error.error === 'InvalidSwap')) throw asProblem(error, null);
      }
    }
    throw new PosternError(
      'platform_conflict',
      'Other writes changed the account at the same time. Send the request again',
    );
  }

  async #own(articleId: string): Promise<OwnEntry> {
    const subject = articleSubject(articleId);
    const uri = await this.#actor.ids.uriOf(articleId, collection, subject);
    const { did = '', key = '' } = parseRecordUri(uri) ?? {};
    if (did !== (await this.#actor.did())) throw new PosternError('not_owner', 'Only its author can change an article');
    const value = (await this.#records.read(did, collection, key))?.value;
    const entry = readEntry(value);
    if (entry === null) throw subjectNotFound(subject);
    return { uri, did: did as Did, key, entry, value: value as object };
  }

  async #foreign(did: string, key: string, subject: Subject): Promise<{ value: unknown } | null> {
    const ask = await this.#actor.repositoryOf(did, subject);
    return ask(getRecord, { params: { repo: did as Did, collection, rkey: key } as never, limits: usualLimits });
  }

  /** Reads a page of a user's articles, newest first. Malformed records are left out. */
  async #entriesOf(repo: Did, { limit, cursor }: PageParams): Promise<RawPage<FoundEntry>> {
    const isOwn = repo === (await this.#actor.did());
    const subject: Subject = { kind: 'User', id: repo };
    const ask = isOwn ? this.#actor.about(null, true) : await this.#actor.repositoryOf(repo, subject);
    const items: FoundEntry[] = [];
    let next = cursor;
    let chunks = 0;
    do {
      const chunk = Math.min(articlesAtOnce, limit - items.length);
      const params = { repo, collection, limit: chunk, cursor: next } as never;
      const page = await ask(listRecords, { params });
      for (const { uri, value } of page.records.slice(0, chunk)) {
        const entry = readEntry(value);
        if (entry !== null) items.push({ uri, entry });
      }
      next = page.cursor;
    } while (next !== undefined && items.length < limit && ++chunks < maxChunks);
    return { items, cursor: next };
  }

  #summaryOf(uri: string, entry: Entry): ArticleSummary {
    const status = statusOf(entry);
    const createdAt = createdAtOf(entry, uri);
    const post = status === 'published' ? entry.postern?.post : undefined;
    return {
      article_id: this.#actor.ids.ofRecord(uri) ?? '',
      title: entry.title ?? '',
      status,
      tweet_id: post === undefined ? null : this.#actor.ids.ofRecord(post),
      draft_url: status === 'draft' ? pageOf(uri, status) : null,
      public_url: status === 'published' ? pageOf(uri, status) : null,
      cover_media_id: coverOf(entry)?.name ?? null,
      created_at: createdAt,
      updated_at: entry.postern?.updatedAt ?? createdAt,
    };
  }

  /** Returns the tweet that publishes an article: its title, and a link card. */
  async #wrapperOf(uri: string, entry: Entry, createdAt: string): Promise<object> {
    const title = entry.title ?? '';
    const cover = coverOf(entry)?.blobref;
    const external = {
      uri: pageOf(uri, 'published'),
      title,
      description: await this.#tasks.run(articleTasks.describe, { text: entry.content }),
      ...(cover && cover.size <= maxThumbBytes && { thumb: cover }),
    };
    const embed = { $type: 'app.bsky.embed.external', external };
    return { $type: collections.post, text: firstGraphemes(title), embed, createdAt };
  }

  /** Returns the write that deletes the tweet of an article. The tweet may have been deleted on its own. */
  async #removalOfPost({ postern }: Entry): Promise<Write[]> {
    const name = postern?.post === undefined ? null : parseRecordUri(postern.post);
    if (name === null || name.did !== (await this.#actor.did()) || name.collection !== collections.post) return [];
    const post = await this.#records.read(name.did, name.collection, name.key);
    return post === null ? [] : [{ collection: name.collection, rkey: name.key, delete: true }];
  }

  async #uploaded(mediaId: string): Promise<Picture & { name: string; width: number | null; height: number | null }> {
    const { blob, width, height } = await this.#media.find(this.#actor, mediaId);
    return { blobref: blob as Blob, name: mediaId, width, height };
  }
}

interface FoundEntry {
  uri: string;
  entry: Entry;
}

function asWrite(write: Write) {
  const { collection, rkey } = write;
  if ('delete' in write) return { $type: 'com.atproto.repo.applyWrites#delete', collection, rkey };
  const kind = 'create' in write ? 'create' : 'update';
  return {
    $type: `com.atproto.repo.applyWrites#${kind}`,
    collection,
    rkey,
    value: 'create' in write ? write.create : write.update,
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url').slice(0, 22);
}

function ignoreUnknown(error: unknown): null {
  if (error instanceof PosternError && error.reason === 'resource_not_found') return null;
  throw error;
}
