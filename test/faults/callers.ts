import { type Gateway, pause } from './gateway.ts';
import { type Chance, pick } from './schedule.ts';
import type { Outcome, Tally } from './tally.ts';

export interface Caller {
  gateways: readonly Gateway[];
  key: string;
  authToken: string;
  tally: Tally;
  random: Chance;
  /** Returns true when the callers should stop. */
  done: () => boolean;
}

interface Answer {
  status: number;
  headers: Headers;
  body: { data: { id?: string } | null; error: string | null };
}

/** The timeout of a call. A gateway that is paused for longer does not respond. */
const patienceMs = 10_000;

/** Sends calls of every kind to random gateways until the callers should stop. */
export async function callOn(caller: Caller, name: string): Promise<void> {
  for (let i = 0; !caller.done(); i++) {
    const text = `${name} wrote number ${i}`;
    const [text_, request] = pick<[string | undefined, () => RequestInit & { path: string }]>(caller.random, [
      [text, () => post(caller, '/tweet/create', { text })],
      [text, () => post(caller, '/tweet/create', { text })],
      [undefined, () => get(caller, '/tweet/advanced_search', { q: 'from:grace', count: '5' })],
      [undefined, () => get(caller, '/user/info', { userName: 'grace' })],
      [undefined, () => post(caller, '/tweet/favorite', { tweet_id: '1' })],
    ]);
    const outcome = await sendOnce(caller, request());
    if (outcome !== 'unsent') caller.tally.note(outcome, text_);
  }
}

/** Sends a request and classifies the response. Returns `unsent` if no gateway can have received the request. */
async function sendOnce(caller: Caller, request: RequestInit & { path: string }): Promise<Outcome | 'unsent'> {
  const gateway = pick(caller.random, caller.gateways as [Gateway, ...Gateway[]]);
  if (gateway.origin === null) {
    await pause(10);
    return 'unsent';
  }
  caller.tally.issued += 1;
  const answer = await send(gateway.origin, request);
  if (answer !== 'unsent') return judge(answer, caller.tally);
  caller.tally.issued -= 1;
  return 'unsent';
}

function judge(answer: Answer | null, tally: Tally): Outcome {
  if (!answer) return 'unknown';
  const { status, body } = answer;
  if (status < 300) return 'acknowledged';
  if (status === 500) tally.wrong.push(`500: ${body.error}`);
  // A 503 that promises that nothing was charged counts as a refusal, like a 4xx.
  if (status < 500 || body.error?.includes('Nothing was charged')) return 'refused';
  return 'unknown';
}

/** Returns `null` if the connection broke or there was no response. */
export async function send(
  origin: string,
  { path, ...init }: RequestInit & { path: string },
): Promise<Answer | null | 'unsent'> {
  try {
    const response = await fetch(`${origin}/v1${path}`, { ...init, signal: AbortSignal.timeout(patienceMs) });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Answer['body'],
    };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
    return cause?.code === 'ECONNREFUSED' ? 'unsent' : null;
  }
}

function get({ key, authToken }: Caller, path: string, query: Record<string, string>) {
  const search = new URLSearchParams({ auth_token: authToken, ...query });
  return { path: `${path}?${search}`, headers: { authorization: `Bearer ${key}` } };
}

export function post({ key, authToken }: Caller, path: string, body: Record<string, string>) {
  return {
    path,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ auth_token: authToken, ...body }),
  };
}
