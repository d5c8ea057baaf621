import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Viewer } from '../dataset/visibility.ts';
import { type InjectedFault, runsOperation } from '../faults/fault.ts';
import { sendFault, waitWhileOpen } from '../faults/inject.ts';
import { serveMedia } from '../media/serve-media.ts';
import { scopesOf } from '../oauth/scopes.ts';
import { servePage } from '../pages/serve-page.ts';
import type { SandboxState } from '../platform.ts';
import { appTokenFor } from '../seed/credentials.ts';
import { problemResponse } from '../x/problems.ts';
import { readBody, readBytes } from './body.ts';
import { bearerToken, checkControlType, checkHost } from './guard.ts';
import type { Call, Operation, PlainOperation } from './operation.ts';
import { Problem, problemOf } from './problem.ts';
import type { SandboxResponse } from './response.ts';
import type { Router } from './router.ts';

const NO_BODY = {};

export function createSandboxServer(platform: SandboxState, router: Router): Server {
  const server = createServer((request, response) => void serve(platform, router, request, response));
  // The timeout is longer than the idle timeout of clients, so that the server never closes a connection that a client
  // is about to reuse.
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  return server;
}

async function serve(platform: SandboxState, router: Router, request: IncomingMessage, response: ServerResponse) {
  let fault: InjectedFault | undefined;
  let answer: SandboxResponse;
  let bytes: Buffer | undefined;
  let limits: Record<string, string> | undefined;
  // An access token that ends while a request waits or sends its body remains valid for that request.
  const arrivedAt = platform.now();
  const url = request.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const problemAnswer = (problem: Problem) => problemResponse(problem, path, platform.now());
  try {
    checkHost(request);
    if (serveMedia(platform, path, request, response)) return;
    if (await servePage(platform, path, request, response)) return;
    const { operation, params } = router.route(request.method ?? 'GET', path);
    const actor = actorOf(platform, operation, params, request, arrivedAt);
    const arrival = { operation: operation.id, method: operation.method, path, actor: actor?.id };
    if (operation.access === 'control') checkControlType(request);
    else {
      platform.stats.count(operation.id);
      // The rate limit comes before fault injection, so that a refused request does not use up an injected fault.
      if (actor !== undefined) limits = platform.rateLimit.consume(actor?.id ?? '', platform.now());
      fault = platform.faults.take(arrival);
    }
    if (fault?.kind === 'latency') await waitWhileOpen(fault.ms, request);
    if (fault !== undefined && !runsOperation(fault)) return sendFault(fault, request, response, problemAnswer);
    if (needsToken(operation)) {
      if (actor === undefined) throw badToken();
      checkScopes(platform, operation, request, arrivedAt);
    }
    if (operation.access === 'realm') bytes = await readBytes(request, operation.maxBytes);
    const isRead = request.method === 'GET' || bytes !== undefined;
    const body = isRead ? NO_BODY : await readBody(request, operation.maxJsonBytes);
    const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
    // Wait for the journal if its last write failed, so that unwritten entries do not accumulate in memory.
    if (platform.journal.failing) await platform.journal.settled();
    const call: Call = { platform, params, query, headers: request.headers, body };
    const waits = actor && fault === undefined && operation.access === 'x';
    const waitMs = waits ? (operation.waitMs?.({ ...call, viewer: actor }) ?? 0) : 0;
    if (actor && waitMs > 0) {
      await platform.longPolls.wait({ ...arrival, actor: actor.id }, waitMs, response);
      // A client that has disconnected must not use up an injected fault.
      if (response.destroyed) return;
      fault = platform.faults.take(arrival);
      if (fault?.kind === 'latency') await waitWhileOpen(fault.ms, request);
      if (fault !== undefined && !runsOperation(fault)) return sendFault(fault, request, response, problemAnswer);
    }
    // Look up the actor again, because a reset may have replaced the dataset while the body was read.
    const answered = perform(operation, { ...call, bytes }, actorOf(platform, operation, params, request, arrivedAt));
    answer = answered instanceof Promise ? await answered : answered;
  } catch (error) {
    answer = problemAnswer(problemOf(error));
  }
  // Send the response after the journal is on disk, so that a crash cannot lose a write that was confirmed.
  if (platform.journal.pending) {
    try {
      await platform.journal.settled();
    } catch (error) {
      answer = problemAnswer(problemOf(error));
    }
  }
  if (fault !== undefined && fault.kind !== 'latency') sendFault(fault, request, response, problemAnswer, answer);
  else send(response, { ...answer, headers: { ...limits, ...answer.headers } });
}

function needsToken(operation: Operation): operation is Exclude<Operation, PlainOperation> {
  return operation.access !== 'control' && operation.access !== 'open';
}

/** Returns the user of the token, null if the token is app-only, or undefined without a valid token. */
function actorOf(
  { dataset, seed, realms, now }: SandboxState,
  operation: Operation,
  params: Call['params'],
  request: IncomingMessage,
  arrivedAt: number,
) {
  const token = needsToken(operation) ? bearerToken(request) : undefined;
  if (token === undefined) return undefined;
  if (operation.access === 'realm') {
    return dataset.users.get(realms.userOf(token, Number(params['realm']), now()) ?? '');
  }
  const user = dataset.userByToken(token) ?? dataset.users.get(dataset.oauth.active(token, arrivedAt)?.user ?? '');
  return user ?? (token === appTokenFor(seed) ? null : undefined);
}

/** Refuses an access token that lacks a scope, as X does. The tokens of the demo have no scopes and may do everything. */
function checkScopes({ dataset }: SandboxState, operation: Operation, request: IncomingMessage, now: number) {
  const grant = dataset.oauth.active(bearerToken(request) ?? '', now);
  if (grant !== undefined && !scopesOf(operation).every((scope) => grant.scopes.includes(scope))) {
    throw new Problem(403, 'forbidden', 'Forbidden');
  }
}

function perform(
  operation: Operation,
  { bytes = Buffer.alloc(0), ...call }: Call & { readonly bytes: Buffer | undefined },
  actor: Viewer | undefined,
): SandboxResponse | Promise<SandboxResponse> {
  if (!needsToken(operation)) return operation.handle(call);
  if (actor === undefined) throw badToken();
  if (operation.access === 'x') return operation.handle({ ...call, viewer: actor });
  if (actor === null) throw badToken();
  return operation.handle({ ...call, actor, bytes });
}

function badToken(): Problem {
  return new Problem(401, 'bad_token', 'Could not authenticate you');
}

function send(response: ServerResponse, answer: SandboxResponse): void {
  const { stream } = answer;
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, {
    'content-type': answer.contentType ?? 'application/json; charset=utf-8',
    'content-length': stream?.size ?? body.length,
    ...answer.headers,
  });
  // Errors are ignored, because a client may close the connection at any time.
  if (stream) pipeline(stream.open(), response, () => {});
  else response.end(body);
}
