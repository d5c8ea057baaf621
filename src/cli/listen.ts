import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { credentialHeader } from '../client/transport.ts';
import { printable, printableJson } from '../shared/model/printable.ts';
import { signedHeaders } from '../webhooks/delivery/signatures.ts';
import { failureOf } from './exit-codes.ts';
import { CliError } from './print.ts';

export interface ListenOptions {
  /** The base URL of the service, with `/v1`. */
  baseUrl: string;
  apiKey: string;
  authToken: string;
  /** The encryption code for messages; `null` to leave messages encrypted. */
  encryptionCode: string | null;
  /** Event types separated by commas; `null` for all types. */
  types: string | null;
  forward: { url: string; secret: string } | null;
  /** Called once, when the stream opens for the first time. */
  opened: () => void;
  /** Prints a line about each event. */
  say: (line: string) => void;
  /** Prints a warning. */
  warn: (line: string) => void;
}

const longestPauseMs = 30_000;
const longestType = 'message.reactionRemoved'.length;

/** Prints events as they arrive and forwards them one after the other. Throws a `CliError` if the service refuses the request. */
export async function listen(options: ListenOptions): Promise<never> {
  const { apiKey, authToken, encryptionCode } = options;
  const credentials = {
    authorization: `Bearer ${apiKey}`,
    'x-auth-token': credentialHeader('POSTERN_AUTH_TOKEN', authToken),
    ...(encryptionCode && { 'x-encryption-code': credentialHeader('POSTERN_ENCRYPTION_CODE', encryptionCode) }),
  };
  let lastId: string | null = null;
  let failures = 0;
  let opened = false;
  for (;;) {
    let failure = 'the stream ended';
    let waitMs = 0;
    try {
      const stream = await open(options, credentials, lastId);
      if (!opened) options.opened();
      opened = true;
      for await (const message of messages(stream)) {
        failures = 0;
        lastId = message.id ?? lastId;
        await handle(message, options);
      }
    } catch (error) {
      if (error instanceof CliError) throw error;
      if (error instanceof StreamRefusedError) waitMs = error.waitMs;
      failure = `the stream ${opened ? 'broke' : 'does not open'} (${reason(error)})`;
    }
    const pauseMs = Math.max(waitMs, Math.min(longestPauseMs, 500 * 2 ** failures++));
    options.warn(`${failure}; trying again${pauseMs < 1_000 ? '' : ` in ${Math.ceil(pauseMs / 1_000)} s`}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Thrown if the service temporarily refuses the stream. `waitMs` is the time to wait before the next attempt. */
class StreamRefusedError extends Error {
  readonly waitMs: number;

  constructor(message: string, waitMs: number) {
    super(message);
    this.waitMs = waitMs;
  }
}

async function open(
  { baseUrl, types }: ListenOptions,
  credentials: Record<string, string>,
  lastId: string | null,
): Promise<Response> {
  const url = new URL(`${baseUrl}/events`);
  if (types !== null) url.searchParams.set('types', types);
  const response = await fetch(url, {
    headers: {
      ...credentials,
      ...(lastId !== null && { 'last-event-id': lastId }),
    },
  });
  if (response.ok) return response;
  const { error = `status ${response.status}` } = (await response.json().catch(() => ({}))) as { error?: string };
  // Other statuses are final, because a retry would be refused again.
  if (response.status < 500 && response.status !== 429) {
    throw new CliError(error, failureOf(response.headers.get('x-error-code')));
  }
  throw new StreamRefusedError(error, 1_000 * Number(response.headers.get('retry-after') ?? 0));
}

async function* messages(response: Response): AsyncGenerator<EventSourceMessage> {
  const waiting: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void waiting.push(message) });
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    parser.feed(chunk);
    yield* waiting.splice(0);
  }
}

async function handle({ id, event = '', data }: EventSourceMessage, options: ListenOptions): Promise<void> {
  if (id === undefined || event === 'gap') {
    const { reason } = JSON.parse(data) as { reason: string };
    return options.warn(event === 'gap' ? `events may be missing: ${reason}` : `the stream is over: ${reason}`);
  }
  const time = new Date().toTimeString().slice(0, 8);
  const outcome = options.forward ? `  ${await forward(id, data, options.forward)}` : `  ${printableJson(data)}`;
  options.say(`${time}  ${printable(event).padEnd(longestType)}  ${printable(id)}${outcome}`);
}

/** Forwards an event in the same form as a webhook delivery. Makes one attempt. */
async function forward(
  eventId: string,
  body: string,
  { url, secret }: { url: string; secret: string },
): Promise<string> {
  const secrets = { secret, proven: true, previous: null, encryptionCode: null };
  const startedAt = performance.now();
  try {
    const headers = signedHeaders({ eventId, attempt: 1, body, now: Date.now() }, secrets);
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    });
    await response.arrayBuffer();
    return `→ ${response.status} in ${Math.round(performance.now() - startedAt)} ms`;
  } catch (error) {
    return `→ not delivered: ${reason(error)}`;
  }
}

/**
 * Returns the reason why a request failed, if possible as a code such as ECONNREFUSED. The message of `fetch` does not contain the reason.
 */
function reason(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
