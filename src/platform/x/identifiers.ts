import { LRUCache } from 'lru-cache';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { object } from '../http/wire.ts';
import type { PlatformCall, UserName, UserReference } from '../port.ts';
import { cacheName, type XClient } from './client.ts';
import { leastFields } from './fields.ts';
import { operations } from './operations.ts';
import { type Subject, subjectNotFound } from './problems.ts';
import { readUserName } from './read-user.ts';

const keptMs = 10 * 60_000;
const maxKept = 10_000;

/** Names and ids of users, which X's lists take by id only. */
export class Identifiers {
  readonly #client: XClient;
  readonly #now: () => number;
  readonly #users = new LRUCache<string, { user: UserName; until: number }>({ max: maxKept });
  readonly #actors = new LRUCache<string, Promise<string>>({ max: maxKept });

  constructor(client: XClient, runtime: Runtime) {
    this.#client = client;
    this.#now = () => runtime.now();
  }

  /** Remembers a user that a response named. */
  keep(user: UserName, call: PlatformCall): void {
    const entry = { user, until: this.#now() + keptMs };
    this.#users.set(keyOf({ userId: user.id }, call), entry);
    this.#users.set(keyOf({ userName: user.userName }, call), entry);
  }

  /**
   * Calls `use` with the id of a user. If the id of a name was remembered and X does not know it any more, the name is looked up once more.
   */
  async withId<T>(reference: UserReference, call: PlatformCall, use: (id: string) => Promise<T>): Promise<T> {
    const subject = aUser(reference);
    if ('userId' in reference) return use(checkedId(subject));
    const known = this.#find(reference, call);
    if (known) {
      try {
        return await use(known.id);
      } catch (error) {
        if (!(error instanceof PosternError) || error.code !== 'not_found') throw error;
        this.#users.delete(keyOf(reference, call));
      }
    }
    return use((await this.#lookUp(reference, call)).id);
  }

  /** Returns the name of a user who exists. */
  async userOf(id: string, call: PlatformCall): Promise<UserName> {
    return this.#find({ userId: id }, call) ?? (await this.#lookUp({ userId: id }, call));
  }

  /** Returns the id of the actor, which is read once for each token. */
  async actorId(call: PlatformCall): Promise<string> {
    const known = this.#actors.get(cacheName(call));
    // The call that reads the id may end before this one, because its caller hangs up.
    return known ? known.catch(() => this.#readActor(call)) : this.#readActor(call);
  }

  /** Remembers the id of the actor. */
  keepActor(id: string, call: PlatformCall): void {
    this.#actors.set(cacheName(call), Promise.resolve(id));
  }

  #readActor(call: PlatformCall): Promise<string> {
    const key = cacheName(call);
    const request = { operation: operations.getUsersMe, fields: leastFields.user };
    const reading = this.#client.send(request, call, ({ data }) => readUserName(object(data, 'data')).id);
    this.#actors.set(key, reading);
    reading.catch(() => {
      if (this.#actors.peek(key) === reading) this.#actors.delete(key);
    });
    return reading;
  }

  #find(reference: UserReference, call: PlatformCall): UserName | null {
    const entry = this.#users.get(keyOf(reference, call));
    return entry && entry.until > this.#now() ? entry.user : null;
  }

  async #lookUp(reference: UserReference, call: PlatformCall): Promise<UserName> {
    const request = { ...byReference(reference), fields: leastFields.user };
    const user = await this.#client.send(request, call, ({ data }) => readUserName(object(data, 'data')));
    this.keep(user, call);
    return user;
  }
}

function keyOf(reference: UserReference, { proxy, account }: PlatformCall): string {
  const name = 'userId' in reference ? reference.userId : `@${reference.userName.toLowerCase()}`;
  // Responses through a caller's proxy may be forged.
  return proxy ? `${name} ${account}` : name;
}

/** Returns the operation that reads one user. Throws `not_found` for an id or a name that X cannot have. */
export function byReference(reference: UserReference) {
  const subject = aUser(reference);
  return 'userId' in reference
    ? { operation: operations.getUsersById, ids: [checkedId(subject)], subject }
    : { operation: operations.getUsersByUsername, ids: [checkedName(subject)], subject };
}

export function aUser(user: UserReference): Subject {
  return { kind: 'User', id: 'userId' in user ? user.userId : user.userName };
}

export const isId = (id: string) => /^\d{1,19}$/.test(id);
export const isName = (name: string) => /^\w{1,15}$/.test(name);

/** Returns the id of a subject. Throws `not_found` for one that X cannot have. */
export function checkedId(subject: Subject): string {
  if (isId(subject.id)) return subject.id;
  throw subjectNotFound(subject);
}

function checkedName(subject: Subject): string {
  if (isName(subject.id)) return subject.id;
  throw subjectNotFound(subject);
}
