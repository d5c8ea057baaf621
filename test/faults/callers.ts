import { type Gateway, pause } from './gateway.ts';
import { type Chance, pick } from './schedule.ts';
import type { Outcome, Tally } from './tally.ts';

export interface Caller {
  gateways: readonly Gateway[];
  key: string;
  authToken: string;
  tally: Tally;
  random: Chance;
  /** True once it is time to go home. */
  done: () => boolean;
}

interface Answer {
  status: number;
  headers: Headers;
  body: { data: { id?: string } | null; error: string | null };
}

/** A caller's patience. A gateway that was paused for longer answers nobody. */
const patienceMs = 10_000;

/** One call after the other, of every kind, at any gateway, until it is time to go home. */
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

/** Sends, and judges the answer. `unsent` where no gateway could have heard it. */
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
  // Such a promise must be kept as much as a 4xx.
  if (status < 500 || body.error?.includes('nothing was charged')) return 'refused';
  return 'unknown';
}

/** `null` where the connection broke, or no answer came. */
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
