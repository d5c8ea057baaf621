import { createHash } from 'node:crypto';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { visibleTweet } from '../dataset/visibility.ts';
import { type Fields, optionalString } from '../fields.ts';
import type { Call, TokenCall, XOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { json, type SandboxResponse } from '../http/response.ts';
import type { SandboxState } from '../platform.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { appOnlyRefused, MissingObject, type ResourceProblem, resourceProblem } from './problems.ts';
import { checkNames, checkValue, idPattern, isExtended, pathValues } from './request.ts';

/** A call of a write, or of a read without fields and expansions. */
export interface WriteCall {
  readonly operation: string;
  readonly state: SandboxState;
  readonly actor: User;
  /** The first id in the path. */
  readonly subject: string;
  /** The second id in the path. */
  readonly target: string;
  readonly query: URLSearchParams;
  readonly body: Fields;
  /** True if the request asks for the extensions of the sandbox. */
  readonly extended: boolean;
  readonly token: string | undefined;
}

interface Declared extends Pick<XOperation, 'maxJsonBytes'> {
  /** The names of the query parameters. */
  readonly query?: readonly string[];
  /** The names in the body. Others are refused, as X does. */
  readonly names?: readonly string[];
  /** The form of the first id in the path. Default: that of numeric ids. */
  readonly idForm?: RegExp;
  /** The status of a success. Default: 200. */
  readonly status?: number;
  /** Returns the maximum time to wait for an event of the actor, in milliseconds. */
  waitMs?(call: WriteCall): number;
  /** Returns the members of the answer. */
  run(call: WriteCall): object | Promise<object>;
}

/** Declares an operation that only user tokens may call. `id` is the operationId in X's document. */
export function userOperation(
  id: string,
  method: XOperation['method'],
  path: string,
  { query: known = [], names = [], status = 200, idForm, run, waitMs, ...route }: Declared,
): XOperation {
  const read = (call: TokenCall): WriteCall => {
    const { platform: state, query, body, viewer } = call;
    if (viewer === null) throw appOnlyRefused();
    const extended = isExtended(call);
    const [subject = '', target = ''] = pathValues(call, idForm);
    checkNames(query.keys(), known);
    checkNames(Object.keys(body), names);
    const token = extended ? idempotencyToken(call) : undefined;
    return { operation: id, state, actor: viewer, subject, target, query, body, extended, token };
  };
  return {
    ...route,
    id,
    method,
    path,
    access: 'x',
    ...(waitMs && { waitMs: (call: TokenCall) => waitMs(read(call)) }),
    async handle(call): Promise<SandboxResponse> {
      const given = read(call);
      try {
        return json(await run(given), status);
      } catch (error) {
        if (!(error instanceof MissingObject)) throw error;
        return json({ errors: [resourceProblem(error.problem, { as: (name) => name, extended: given.extended })] });
      }
    },
  };
}

function idempotencyToken({ headers }: Call): string | undefined {
  const token = headers['idempotency-token'];
  if (token === undefined || (typeof token === 'string' && /^[\x20-\x7e]{1,128}$/.test(token))) return token;
  throw badRequest('idempotency-token', 'idempotency-token must be 1 to 128 printable ASCII characters');
}

/** Hashes what a write asks for, to recognize another write with the same idempotency token. */
export function fingerprintOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** The part of a journal entry that remembers the idempotency token. */
export const tokened = ({ token }: Pick<WriteCall, 'token'>, fingerprint: string) =>
  token !== undefined && { token, fingerprint };

/** Returns what the first request with this idempotency token created or changed, if there was one. */
export function usedBefore({ state, actor, token }: WriteCall, fingerprint: string): string | undefined {
  const first = token === undefined ? undefined : state.tokens.find(actor.id, token, state.now());
  if (first === undefined || first.fingerprint === fingerprint) return first?.subjectId;
  throw new Problem(409, 'idempotency_conflict', 'This idempotency-token was used for a different request');
}

/** Reads a string with one of the values. */
export function oneOf(body: Fields, name: string, values: readonly string[]): string {
  const value = optionalString(body, name);
  if (value !== undefined && values.includes(value)) return value;
  throw badRequest(name, `The \`${name}\` value is not one of [${values}]`);
}

/** Returns the value of `find`. X answers 200, with a problem in `errors`, if the object of a write is not there. */
export function found<T>(resource: ResourceProblem['resource'], parameter: string, value: string, find: () => T): T {
  try {
    return find();
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    throw new MissingObject({ refusal, resource, parameter, value });
  }
}

/** Returns a post that the actor may see. The id of a repost stands for the reposted one. */
export function postOf({ state: { dataset }, actor }: WriteCall, parameter: string, id: string): SandboxTweet {
  checkValue(parameter, id, idPattern);
  return found('tweet', parameter, id, () => visibleTweet(dataset, dataset.reposts.get(id)?.of.id ?? id, actor));
}

export function checkOwn({ actor, subject }: WriteCall): void {
  if (subject === actor.id) return;
  throw badRequest('id', `The \`id\` value [${subject}] must be the same as the authenticating user [${actor.id}]`);
}

/** Reads an object that has only these names. */
export function objectIn(body: Fields, name: string, names: readonly string[]): Fields | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isObject && Object.keys(value).every((each) => names.includes(each))) return value as Fields;
  throw badRequest(name, `The \`${name}\` must be an object with the members [${names}]`);
}
