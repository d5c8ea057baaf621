import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { mainSchema as createRecord } from '@atcute/atproto/types/repo/createRecord';
import { mainSchema as deleteRecord } from '@atcute/atproto/types/repo/deleteRecord';
import { mainSchema as getRecord } from '@atcute/atproto/types/repo/getRecord';
import { mainSchema as listRecords } from '@atcute/atproto/types/repo/listRecords';
import type { ResourceUri } from '@atcute/lexicons';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { usualLimits } from '../http/answer.ts';
import { parseRecordUri, tidAt } from './identifiers.ts';
import { asProblem, type Subject, subjectNotFound } from './problems.ts';
import type { ServerSession } from './server-session.ts';
import { ParameterError, XrpcError } from './xrpc.ts';

export const collections = {
  post: 'app.bsky.feed.post',
  like: 'app.bsky.feed.like',
  repost: 'app.bsky.feed.repost',
  follow: 'app.bsky.graph.follow',
  block: 'app.bsky.graph.block',
  list: 'app.bsky.graph.list',
  article: 'com.whtwnd.blog.entry',
} as const;

export type Collection = (typeof collections)[keyof typeof collections];

/** A record and its content hash: https://atproto.com/specs/lexicon#strongref */
export interface StrongRef {
  uri: ResourceUri;
  cid: string;
}

/**
 * The number of the actor's latest records to search for a like, repost or follow. Older records are found through the
 * AppView.
 */
const recentRecords = 100;

/** The records in the actor's own repository. Writes with the same idempotency token have the same record key. */
export class Records {
  readonly #actor: ServerSession;
  readonly #now: () => number;

  constructor(actor: ServerSession, now: () => number) {
    this.#actor = actor;
    this.#now = now;
  }

  /**
   * Creates a record. `make` gets the time of the write, which is the same when the write is repeated. If a record with
   * the same key and content exists, an earlier attempt created it, and the call succeeds.
   */
  async create(
    operation: string,
    collection: Collection,
    make: (createdAt: string) => Record<string, unknown>,
    subject: Subject | null = null,
  ): Promise<StrongRef & { createdAt: string }> {
    const { key, createdAt } = this.keyFor(operation);
    const record = { $type: collection, ...make(createdAt), createdAt };
    const repo = (await this.#actor.did()) as `did:${string}:${string}`;
    try {
      const input = { repo, collection, rkey: key, record };
      const { uri, cid } = await this.#actor.raw(createRecord, { input });
      return { uri: uri as StrongRef['uri'], cid, createdAt };
    } catch (error) {
      const earlier = mayExist(error) ? await this.read(repo, collection, key).catch(() => null) : null;
      if (earlier && isDeepStrictEqual(earlier.value, record)) return { uri: earlier.uri, cid: earlier.cid, createdAt };
      throw asProblem(error, subject);
    }
  }

  /** Returns a record of any repository on the actor's server, or `null` if there is none. */
  async read(repo: string, collection: string, key: string): Promise<(StrongRef & { value: unknown }) | null> {
    try {
      const params = { repo, collection, rkey: key } as never;
      const { uri, cid, value } = await this.#actor.raw(getRecord, { params, limits: usualLimits });
      return cid === undefined ? null : { uri: uri as StrongRef['uri'], cid, value };
    } catch (error) {
      if (error instanceof XrpcError && error.status === 400) return null;
      if (error instanceof ParameterError) return null;
      throw asProblem(error, null);
    }
  }

  /**
   * Returns the URIs of the actor's records that `isSubject` accepts. Searches the recent records on the actor's
   * server, which are always current, and adds `known`, a URI from the AppView, if it names such a record.
   */
  async about(
    collection: Collection,
    isSubject: (subject: unknown) => boolean,
    known: string | undefined,
  ): Promise<string[]> {
    const repo = (await this.#actor.did()) as `did:${string}:${string}`;
    const params = { repo, collection, limit: recentRecords };
    const { records } = await this.#actor.about(null)(listRecords, { params });
    const recent = records
      .slice(0, recentRecords)
      .filter(({ value }) => isSubject((value as { subject?: unknown } | null)?.subject));
    // The AppView may return a record that was just deleted. For recent records, the actor's server is authoritative.
    const older = known?.startsWith(`at://${repo}/${collection}/`) ? [known] : [];
    return [...new Set([...recent.map(({ uri }) => uri as string), ...older])];
  }

  /** Deletes own records of a collection. Deleting one that does not exist succeeds. */
  async remove(collection: Collection, uris: readonly string[]): Promise<void> {
    const repo = (await this.#actor.did()) as `did:${string}:${string}`;
    for (const uri of uris) {
      const name = parseRecordUri(uri);
      if (name?.did !== repo || name.collection !== collection) continue;
      const input = { repo, collection, rkey: name.key } as never;
      await this.#actor.about(null)(deleteRecord, { input });
    }
  }

  /** Deletes one own record. Throws `not_found` if it does not exist, and `forbidden` if it is another user's. */
  async removeOwn(collection: Collection, uri: string, subject: Subject): Promise<void> {
    const name = parseRecordUri(uri);
    if (name === null) throw subjectNotFound(subject);
    if (name.did !== (await this.#actor.did())) {
      throw new PosternError('platform_refused', 'Only the author can delete this');
    }
    if ((await this.read(name.did, name.collection, name.key)) === null) throw subjectNotFound(subject);
    await this.remove(collection, [uri]);
  }

  /**
   * Returns the record key and the time of a write. The key is a TID of the time when the request was first made, with low
   * bits from its idempotency token.
   */
  keyFor(operation: string): { key: string; createdAt: string } {
    const token = this.#actor.call.tokenFor(operation);
    const since = /^(\d{13})-/.exec(token)?.[1];
    const atMs = since === undefined ? this.#now() : Number(since);
    const digest = createHash('sha256').update(token).digest();
    const micros = BigInt(atMs) * 1_000n + BigInt(digest.readUInt32BE(0) % 1_000);
    const key = tidAt(micros, digest.readUInt32BE(4) % 1_024);
    return { key, createdAt: new Date(atMs).toISOString() };
  }
}

/** Returns false if the error proves that the record was not created. */
function mayExist(error: unknown): boolean {
  if (error instanceof XrpcError) return error.status === 400 || error.status === 409;
  return error instanceof PosternError && error.code === 'platform_unavailable';
}
