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
  /** The status of REST. In GraphQL this is the status of the first error. */
  status: number;
  headers: Headers;
  body: Body;
}

interface Body {
  data: { id?: string; createTweet?: { tweet: { id: string } } | null } | null;
  error?: string | null;
  errors?: { message: string; extensions: { status: number } }[];
}

/** The timeout of a call. A gateway that is paused for longer does not respond. */
const patienceMs = 10_000;

/** The average pause of a caller between two calls in milliseconds. It leaves processor time for the starts of killed gateways. */
export const thinkMs = 20;

/** Sends calls of every kind to random gateways until the callers should stop. */
export async function callOn(caller: Caller, name: string): Promise<void> {
  for (let i = 0; !caller.done(); i++) {
    await pause(caller.random() * 2 * thinkMs);
    const text = `${name} wrote number ${i}`;
    const [text_, request] = pick<[string | undefined, () => RequestInit & { path: string }]>(caller.random, [
      [text, () => post(caller, '/tweet/create', { text })],
      [text, () => post(caller, '/tweet/create', { text })],
      [undefined, () => get(caller, '/tweet/advanced_search', { q: 'from:grace', count: '5' })],
      [undefined, () => get(caller, '/user/info', { userName: 'grace' })],
      [undefined, () => post(caller, '/tweet/favorite', { tweet_id: '1' })],
    ]);
    await sendOnce(caller, request(), text_);
  }
}

/** Posts a tweet and notes its outcome. */
export function postTweet(caller: Caller, text: string): Promise<Outcome | 'unsent'> {
  return sendOnce(caller, post(caller, '/tweet/create', { text }), text);
}

/** Sends a request and notes its outcome. Returns `unsent` if no gateway can have received the request. */
async function sendOnce(
  caller: Caller,
  request: RequestInit & { path: string },
  text?: string,
): Promise<Outcome | 'unsent'> {
  const gateway = pick(caller.random, caller.gateways as [Gateway, ...Gateway[]]);
  if (gateway.origin === null) {
    await pause(10);
    return 'unsent';
  }
  caller.tally.issued += 1;
  const answer = await send(gateway.origin, request);
  if (answer === 'unsent') {
    caller.tally.issued -= 1;
    return 'unsent';
  }
  const outcome = judge(answer, caller.tally);
  caller.tally.note(outcome, text);
  return outcome;
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
    const response = await fetch(origin + path, { ...init, signal: AbortSignal.timeout(patienceMs) });
    const body = (await response.json()) as Body;
    const status = body.errors?.[0]?.extensions.status ?? response.status;
    return { status, headers: response.headers, body };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
    return cause?.code === 'ECONNREFUSED' ? 'unsent' : null;
  }
}

function get({ key, authToken }: Caller, path: string, query: Record<string, string>) {
  const search = new URLSearchParams({ auth_token: authToken, ...query });
  return { path: `/v1${path}?${search}`, headers: { authorization: `Bearer ${key}` } };
}

export function post({ key, authToken }: Caller, path: string, body: Record<string, string>) {
  return {
    path: `/v1${path}`,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ auth_token: authToken, ...body }),
  };
}

const mutation = 'mutation($text: String!) { createTweet(input: { text: $text }) { tweet { id } } }';

/** The mutation that posts a tweet. */
export function mutate({ key, authToken }: Caller, text: string) {
  return {
    path: '/graphql',
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-auth-token': authToken, 'content-type': 'application/json' },
    body: JSON.stringify({ query: mutation, variables: { text } }),
  };
}
