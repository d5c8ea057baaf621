import { mainSchema as getProfiles } from '@atcute/bluesky/types/app/actor/getProfiles';
import type * as Feed from '@atcute/bluesky/types/app/feed/defs';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Page } from '../../shared/model/page.ts';
import type { Tweet } from '../../shared/model/tweet.ts';
import type { UserCard, UserProfile } from '../../shared/model/user.ts';
import type { UserAbout } from '../../shared/model/user-about.ts';
import { turn } from '../../shared/runtime/turns.ts';
import type { PageRequest, PlatformCall, UserName } from '../port.ts';
import type { DidResolver } from './did-resolver.ts';
import type { Ids } from './ids.ts';
import type { Login, Logins } from './logins.ts';
import { asProblem, isTokenRefused, mayHaveMoved, type Subject, subjectNotFound } from './problems.ts';
import { authorsOf, readPost } from './read-post.ts';
import { aboutFromView, cardFromView, type ProfileView, profileFromView } from './read-user.ts';
import type { XrpcCall, XrpcClient } from './xrpc.ts';

/** A page as the network returns it. Even the last page may have a cursor. */
export interface RawPage<Item> {
  items: readonly Item[];
  cursor?: string | undefined;
}

/** The parameters with which methods select a page. */
export interface PageParams {
  limit: number;
  cursor?: string | undefined;
}

type Fetch<Item> = (params: PageParams) => Promise<RawPage<Item>>;

/** The maximum number of profiles in one request. */
const profilesAtOnce = 25;
/** The maximum number of requests that check whether a cursor leads to further items. */
const maxProbes = 3;

interface ServerSessionParts {
  xrpc: XrpcClient;
  logins: Logins;
  dids: DidResolver;
  ids: Ids;
}

/** Sends the requests of one call to the actor's own server. */
export class ServerSession {
  readonly call: PlatformCall;
  readonly ids: Ids;
  readonly #xrpc: XrpcClient;
  readonly #logins: Logins;
  readonly #dids: DidResolver;
  #login: Promise<Login> | undefined;

  constructor({ xrpc, logins, dids, ids }: ServerSessionParts, call: PlatformCall) {
    this.#xrpc = xrpc;
    this.#logins = logins;
    this.#dids = dids;
    this.ids = ids;
    this.call = call;
  }

  login(): Promise<Login> {
    this.#login ??= this.#logins.of(this.call);
    return this.#login;
  }

  async did(): Promise<string> {
    return (await this.login()).did;
  }

  /** Calls a method. Throws `XrpcError` and `ParameterError` as they are. */
  readonly raw: XrpcCall = (method, options) =>
    this.withLogin(({ pds, access }) => this.#xrpc.as({ target: pds, token: access }, this.call)(method, options));

  /**
   * Sends a request with the actor's login. If the access token is refused, or the account has moved to another server,
   * the login is renewed and the request is sent once more.
   */
  async withLogin<T>(send: (login: Login) => Promise<T>): Promise<T> {
    const login = await this.login();
    try {
      return await send(login);
    } catch (error) {
      const renewed = await this.#renew(login, error);
      if (!renewed) throw error;
      this.#login = Promise.resolve(renewed);
      return await send(renewed);
    }
  }

  async #renew(login: Login, error: unknown): Promise<Login | null> {
    if (isTokenRefused(error)) return this.#logins.of(this.call, login.access);
    return mayHaveMoved(error) ? this.#logins.afterMove(this.call, login) : null;
  }

  /**
   * Returns a function that calls methods and maps their errors. `subject` is the object that they look up. `paged` is
   * true if an error may mean that the cursor is not valid.
   */
  about(subject: Subject | null, paged = false): XrpcCall {
    return async (method, options) => {
      try {
        return await this.raw(method, options);
      } catch (error) {
        throw asProblem(error, subject, paged);
      }
    };
  }

  /** Returns a function that calls methods of another account's server without credentials, and maps their errors. */
  async repositoryOf(did: string, subject: Subject): Promise<XrpcCall> {
    // Neither a missing DID document nor a refusal by that server is about the actor's token.
    const asNotFound = (error: unknown) =>
      isTokenRefused(error) || (error instanceof PosternError && error.reason === 'auth_token_rejected')
        ? subjectNotFound(subject)
        : asProblem(error, subject, true);
    try {
      const target = await this.#dids.pdsOf(did, this.call);
      const ask = this.#xrpc.as({ target, token: null }, this.call);
      return (method, options) =>
        ask(method, options).catch((error: unknown) => {
          throw asNotFound(error);
        });
    } catch (error) {
      throw asNotFound(error);
    }
  }

  /** Returns a page whose cursor is `null` unless there is a further item. */
  async page<Item, Read>(
    { count, cursor }: PageRequest,
    fetch: Fetch<Item>,
    read: (items: readonly Item[]) => Promise<Read[]>,
  ): Promise<Page<Read>> {
    const raw = await fetch({ limit: count, cursor: cursor ?? undefined });
    // A server may send more items than requested, and each item needs a part of a further request.
    const [items, next] = await Promise.all([read(raw.items.slice(0, count)), this.#further(fetch, raw.cursor)]);
    return { items, cursor: next };
  }

  /** Reads posts as tweets. Posts that cannot be represented are left out. */
  readonly tweets = async (posts: readonly Feed.PostView[]): Promise<Tweet[]> => {
    const profiles = await this.profiles(authorsOf(posts));
    const tweets: Tweet[] = [];
    for (const post of posts) {
      // Posts with many facets take long to validate.
      await turn();
      const tweet = readPost(post, profiles, this.ids);
      if (tweet) tweets.push(tweet);
    }
    await this.ids.save();
    return tweets;
  };

  /** Reads users as cards. */
  readonly cards = async (users: readonly { did: string }[]): Promise<UserCard[]> => {
    const profiles = await this.profiles(users.map(({ did }) => did));
    return this.cardsOf(users.flatMap(({ did }) => profiles.get(did) ?? []));
  };

  async cardsOf(profiles: readonly ProfileView[]): Promise<UserCard[]> {
    const cards = profiles.map((profile) => cardFromView(profile, this.ids));
    await this.ids.save();
    return cards;
  }

  async profile(view: ProfileView): Promise<UserProfile> {
    const profile = profileFromView(view, this.ids);
    await this.ids.save();
    return profile;
  }

  /** Returns the history of an account. Only the directory of `did:plc` has more than the profile. */
  async userAbout(view: ProfileView): Promise<UserAbout> {
    const about = aboutFromView(view, await this.#dids.historyOf(view.did, this.call), this.ids);
    await this.ids.save();
    return about;
  }

  async userName({ did, handle }: { did: string; handle: string }): Promise<UserName> {
    const id = this.ids.ofUser(did) ?? '';
    await this.ids.save();
    return { id, userName: handle };
  }

  /** Returns the id of the actor. */
  async viewerId(): Promise<string> {
    return (await this.userName({ did: await this.did(), handle: '' })).id;
  }

  /** Returns the full profiles, which lists and posts do not contain, of DIDs or handles. */
  async profiles(actors: readonly string[]): Promise<Map<string, ProfileView>> {
    const wanted = [...new Set(actors)];
    const chunks = Array.from({ length: Math.ceil(wanted.length / profilesAtOnce) }, (_, at) =>
      wanted.slice(at * profilesAtOnce, (at + 1) * profilesAtOnce),
    );
    const ask = this.about(null);
    const found = await Promise.all(
      chunks.map((chunk) => ask(getProfiles, { params: { actors: chunk as `did:${string}:${string}`[] } })),
    );
    const isWanted = new Set(wanted);
    const profiles = found
      .flatMap((page) => page.profiles)
      .filter(({ did, handle }) => isWanted.has(did) || isWanted.has(handle));
    return new Map(profiles.map((profile) => [profile.did, profile]));
  }

  /** Follows cursors until a page has an item. Needed because the network returns a cursor even with the last page. */
  async #further<Item>(fetch: Fetch<Item>, cursor: string | undefined): Promise<string | null> {
    let next = cursor;
    for (let probes = 0; next !== undefined && probes < maxProbes; probes += 1) {
      const probe = await fetch({ limit: 1, cursor: next });
      if (probe.items.length > 0) return next;
      next = probe.cursor;
    }
    return next ?? null;
  }
}
