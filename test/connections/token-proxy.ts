import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { originOf } from '../support/listen.ts';

/** A request of a gateway with a refresh token. */
export interface SentToken {
  token: string;
  /** The process that sent it. */
  life: string;
  aim: Aim | null;
  /** The status of the platform; `null` if the request did not reach it. */
  status: number | null;
  /** True if no earlier request with this token can still be answered: its process is dead, or its answer was lost. */
  isDue: boolean;
  isLost: boolean;
}

/** The refresh tokens of one sign-in, in order. */
export type Family = string[];

/** When a gateway is killed that refreshes a login: before the platform gets the request, before its answer arrives, or directly after that. */
export type Aim = 'before' | 'after' | 'answered';

export interface TokenLog {
  readonly sent: SentToken[];
  readonly families: Family[];
}

export interface TokenProxyOptions {
  sandboxUrl: string;
  log: TokenLog;
  /** Returns the process whose requests arrive now. */
  life: () => string;
  isDead: (life: string) => boolean;
  /** Takes the next aim, if there is one. `kill` resolves when the gateway has ended. */
  aim: () => { at: Aim; kill: () => Promise<void> } | null;
}

/**
 * Forwards the requests of one gateway to the sandbox. Records those with a refresh token, and kills the gateway before one reaches the
 * sandbox, before its answer returns, or directly after that. Returns its origin.
 */
export function startTokenProxy({ sandboxUrl, log, life, isDead, aim }: TokenProxyOptions): Promise<string> {
  const forward = async ({ url = '', method, headers }: IncomingMessage, body: Buffer) => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      send(sandboxUrl + url, { method, headers }, resolve)
        .on('error', reject)
        .end(body);
    });
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
  };
  const server = createServer(async (request, response) => {
    try {
      const body = await buffer(request);
      const form = new URLSearchParams(request.url === '/2/oauth2/token' ? body.toString() : '');
      const token = form.get('refresh_token');
      const aimed = token === null ? null : aim();
      const earlier = log.sent.filter((sent) => sent.token === token);
      const isDue = earlier.every((sent) => sent.isLost || isDead(sent.life));
      const sent = {
        token: token ?? '',
        life: life(),
        aim: aimed?.at ?? null,
        status: null as number | null,
        isDue,
        isLost: false,
      };
      if (token !== null) log.sent.push(sent);
      if (aimed?.at === 'before') {
        await aimed.kill();
        return void response.destroy();
      }
      const answer = await forward(request, body);
      sent.status = answer.status;
      const next = form.has('grant_type') ? (JSON.parse(answer.body.toString()) as { refresh_token?: string }) : {};
      if (next.refresh_token !== undefined) {
        const known = log.families.find((family) => family.at(-1) === token);
        if (known) known.push(next.refresh_token);
        else log.families.push([next.refresh_token]);
      }
      if (aimed?.at === 'after') await aimed.kill();
      // A gateway hangs up if it is dead or if the answer took too long.
      sent.isLost = response.destroyed && !isDead(sent.life);
      if (!response.destroyed) response.writeHead(answer.status, answer.headers).end(answer.body);
      if (aimed?.at === 'answered') await aimed.kill();
    } catch {
      sent.isLost = true;
      response.destroy();
    }
  });
  server.keepAliveTimeout = 120_000;
  return originOf(server);
}
