import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { User } from '../dataset/types.ts';
import { type InjectedFault, performs } from '../faults/fault.ts';
import { answerFault, sleep } from '../faults/inject.ts';
import { isForBrowsers, servePage } from '../pages/answer-page.ts';
import type { SandboxState } from '../platform.ts';
import type { Received } from '../uploads/files.ts';
import { problemAnswer, type SandboxResponse } from './answer.ts';
import { readBody } from './body.ts';
import { checkControlType, checkHost, cookieToken } from './guard.ts';
import type { Call, Operation } from './operation.ts';
import { Problem } from './problem.ts';
import type { Router } from './router.ts';

const NO_BODY = {};

export function createSandboxServer(platform: SandboxState, router: Router): Server {
  const server = createServer((request, response) => void serve(platform, router, request, response));
  // Longer than a client keeps an idle connection, so that it is never the server that closes one just being used again.
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  return server;
}

async function serve(platform: SandboxState, router: Router, request: IncomingMessage, response: ServerResponse) {
  let fault: InjectedFault | undefined;
  let answer: SandboxResponse;
  let received: Received | undefined;
  try {
    checkHost(request);
    if (isForBrowsers(request) && (await servePage(platform, request, response))) return;
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const { operation, params } = router.route(request.method ?? 'GET', path);
    const actor = actorOf(platform, operation, request);
    if (operation.access === 'control') checkControlType(request);
    else {
      platform.stats.count(operation.id);
      // Before the faults: what is refused here must not use up one that waits for a call.
      if (actor !== undefined) platform.rateLimit.take(actor.id, platform.now());
      fault = platform.faults.take({ operation: operation.id, method: operation.method, path, actor: actor?.id });
    }
    if (fault?.kind === 'latency') await sleep(fault.ms, request);
    if (fault !== undefined && !performs(fault)) return answerFault(fault, request, response);
    if (operation.access === 'actor' && actor === undefined) throw badToken();
    if (operation.access === 'actor' && operation.mostBytes !== undefined) {
      received = await platform.files.receive(request, operation.mostBytes(request.headers));
    }
    const body =
      request.method === 'GET' || received !== undefined ? NO_BODY : await readBody(request, operation.mostJsonBytes);
    const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
    // What the disk has no room for must not grow in memory: a write waits until the last one is on disk, or is refused.
    if (platform.journal.failing) await platform.journal.settled();
    const call: Call = { platform, params, query, headers: request.headers, body, ...(received && { received }) };
    // Asked again: while the body came in, the dataset may have been reset, and a user belongs to one dataset.
    const answered = perform(operation, call, actorOf(platform, operation, request));
    answer = answered instanceof Promise ? await answered : answered;
  } catch (error) {
    answer = refusal(error);
  }
  // What was kept goes by another name by now.
  if (received !== undefined) await platform.files.drop(received);
  // Whatever an answer shows or confirms must be on disk first, so that no crash can unsay it.
  if (platform.journal.pending) {
    try {
      await platform.journal.settled();
    } catch (error) {
      answer = refusal(error);
    }
  }
  if (fault !== undefined && fault.kind !== 'latency') answerFault(fault, request, response, answer);
  else send(response, answer);
}

function actorOf(platform: SandboxState, operation: Operation, request: IncomingMessage): User | undefined {
  if (operation.access === 'control') return undefined;
  const token = cookieToken(request);
  return token === undefined ? undefined : platform.dataset.userByToken(token);
}

function perform(
  operation: Operation,
  call: Call,
  actor: User | undefined,
): SandboxResponse | Promise<SandboxResponse> {
  if (operation.access !== 'actor') return operation.handle(call);
  if (actor === undefined) throw badToken();
  return operation.handle({ ...call, actor });
}

function badToken(): Problem {
  return new Problem(401, 'bad_token', 'Could not authenticate you');
}

function refusal(error: unknown): SandboxResponse {
  if (error instanceof Problem) return problemAnswer(error);
  const message = error instanceof Error ? error.message : String(error);
  return problemAnswer(new Problem(500, 'internal', `The sandbox failed: ${message}`));
}

function send(response: ServerResponse, answer: SandboxResponse): void {
  const body = Buffer.from(answer.body, 'utf8');
  response.writeHead(answer.status, {
    'content-type': answer.contentType ?? 'application/json; charset=utf-8',
    'content-length': body.length,
    ...answer.headers,
  });
  response.end(body);
}
