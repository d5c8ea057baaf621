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
  /** Codes, verifiers and tokens. */
  readonly secrets: Set<string>;
  /** The number of requests that came too late, after the end of their access token. */
  late: number;
  /** When each access token was asked for, and how long it lives. */
  readonly lives: Map<string, { sentAt: number; ms: number }>;
  /** The ages in milliseconds of access tokens that were refused before their end. */
  readonly refused: number[];
  readonly sent: SentToken[];
  readonly families: Family[];
}

interface Issued {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

export const tokenLog = (): TokenLog => ({
  secrets: new Set(),
  late: 0,
  lives: new Map(),
  refused: [],
  sent: [],
  families: [],
});

export interface TokenProxyOptions {
  sandboxUrl: string;
  log: TokenLog;
  /** Returns the process whose requests arrive now. */
  life?: () => string;
  isDead?: (life: string) => boolean;
  /** Takes the next aim, if there is one. `kill` resolves when the gateway has ended. */
  aim?: () => { at: Aim; kill: () => Promise<void> } | null;
}

/**
 * Forwards the requests of one gateway to the sandbox. Records those with a refresh token, and kills the gateway before one reaches the
 * sandbox, before its answer returns, or directly after that. Returns its origin.
 */
export function startTokenProxy({
  sandboxUrl,
  log,
  life = () => '',
  isDead = () => false,
  aim = () => null,
}: TokenProxyOptions): Promise<string> {
  const forward = async ({ url = '', method, headers }: IncomingMessage, body: Buffer) => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      send(sandboxUrl + url, { method, headers }, resolve)
        .on('error', reject)
        .end(body);
    });
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
  };
  /** Records a request with a refresh token. */
  const record = (token: string, at: Aim | null): SentToken => {
    const earlier = log.sent.filter((sent) => sent.token === token);
    const isDue = earlier.every((sent) => sent.isLost || isDead(sent.life));
    const sent = { token, life: life(), aim: at, status: null, isDue, isLost: false };
    log.sent.push(sent);
    return sent;
  };
  const secretFields = ['code', 'code_verifier', 'access_token', 'refresh_token'];
  const keep = (fields: Iterable<[string, unknown]>) => {
    for (const [name, value] of fields) if (secretFields.includes(name)) log.secrets.add(String(value));
  };
  const note = (before: string | null, body: Buffer, sentAt: number) => {
    const fields = JSON.parse(body.toString()) as Partial<Issued>;
    keep(Object.entries(fields));
    const { refresh_token: next, access_token: access, expires_in: seconds } = fields;
    if (!next || !access || !seconds) return;
    log.lives.set(access, { sentAt, ms: seconds * 1_000 });
    const known = log.families.find((family) => family.at(-1) === before);
    if (known) known.push(next);
    else log.families.push([next]);
  };
  const noteRefusal = (authorization: string) => {
    const { sentAt, ms } = log.lives.get(authorization.replace('Bearer ', '')) ?? { sentAt: 0, ms: 0 };
    const ageMs = performance.now() - sentAt;
    if (ageMs >= ms) log.late += 1;
    else log.refused.push(ageMs);
  };
  const server = createServer(async (request, response) => {
    const arrivedAt = performance.now();
    const body = await buffer(request);
    const isToken = request.url === '/2/oauth2/token';
    const form = new URLSearchParams(isToken ? body.toString() : '');
    keep(form);
    const token = form.get('refresh_token');
    const aimed = token === null ? null : aim();
    const sent = token === null ? null : record(token, aimed?.at ?? null);
    if (aimed?.at === 'before') await aimed.kill();
    if (aimed?.at === 'before') return void response.destroy();
    try {
      const answer = await forward(request, body);
      if (sent) sent.status = answer.status;
      if (isToken) note(token, answer.body, arrivedAt);
      if (answer.status === 401) noteRefusal(request.headers.authorization ?? '');
      if (aimed?.at === 'after') await aimed.kill();
      // A gateway hangs up if it is dead or if the answer took too long.
      if (sent) sent.isLost = response.destroyed && !isDead(sent.life);
      if (!response.destroyed) response.writeHead(answer.status, answer.headers).end(answer.body);
      if (aimed?.at === 'answered') await aimed.kill();
    } catch {
      if (sent) sent.isLost = true;
      response.destroy();
    }
  });
  server.keepAliveTimeout = 120_000;
  return originOf(server);
}
