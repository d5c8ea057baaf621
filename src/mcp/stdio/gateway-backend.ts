import { endpointOf } from '../../actions/endpoint.ts';
import { PosternError } from '../../client/errors.ts';
import type { CallResult, Endpoint, Transport } from '../../client/transport.ts';
import { Watchdog } from '../../client/watchdog.ts';
import { parseDollars } from '../../shared/model/money.ts';
import type { Cost, ToolOutcome } from '../results.ts';
import type { ToolBackend, ToolCall } from '../server.ts';
import { hasUnknownOutcome, mayBeCharged, missingCredential, ToolError } from '../tool-error.ts';
import type { SpendingLimit } from './spending-limit.ts';

/** The maximum number of calls in flight. */
const maxCalls = 32;

/** Performs tool calls over the HTTP API of a gateway. */
export class GatewayBackend implements ToolBackend {
  readonly #transport: Transport;
  readonly #limit: SpendingLimit;
  #offered: ReadonlySet<string> | undefined;
  #credit: string | null = null;
  #running = 0;

  constructor(transport: Transport, limit: SpendingLimit) {
    this.#transport = transport;
    this.#limit = limit;
  }

  /** Asks the gateway, because it knows the restrictions of the API key. They never change, so one response is enough. */
  async offered(): Promise<ReadonlySet<string>> {
    this.#offered ??= await this.#listTools();
    return this.#offered;
  }

  async call({ tool: { action }, input, idempotencyKey, signal }: ToolCall): Promise<ToolOutcome> {
    const { authToken, encryptionCode } = this.#transport.options;
    if (action.actor && authToken === undefined)
      throw missingCredential('the token of a platform account', 'POSTERN_AUTH_TOKEN');
    if (action.code === 'required' && encryptionCode === undefined)
      throw missingCredential('the encryption code of direct messages', 'POSTERN_ENCRYPTION_CODE');
    if (this.#running >= maxCalls) {
      const message = `${maxCalls} calls of this process are running, which is the limit: wait until one has ended`;
      throw new ToolError('rate_limited', message, { retryAfterSeconds: 1 });
    }
    this.#limit.reserve(action.price);
    this.#running++;
    try {
      const options = {
        signal,
        ...(idempotencyKey !== null && { idempotencyKey }),
        // With a limit, each call is one request, because a request whose response was lost may be charged as well as its repetition.
        ...(this.#limit.left !== undefined && { maxRetries: 0 }),
      };
      const result: CallResult<unknown> = await this.#transport.send(endpointOf(action), input, options);
      // A gateway of another version may have another price.
      this.#limit.release(action.price - (parseDollars(result.creditsCharged ?? '0') ?? action.price));
      this.#credit = result.creditsRemaining ?? this.#credit;
      const cost = await this.#costOf(result.creditsCharged ?? '0');
      return { data: result.data, cost, replayed: result.replayed };
    } catch (thrown) {
      const error = toolErrorOf(thrown, signal);
      if (!mayBeCharged(error.code)) this.#limit.release(action.price);
      throw error;
    } finally {
      this.#running--;
    }
  }

  costOf(failure: ToolError): Promise<Cost> {
    return this.#costOf(mayBeCharged(failure.code) ? null : '0');
  }

  async #costOf(charged: string | null): Promise<Cost> {
    this.#credit ??= await this.#readCredit();
    const left = this.#limit.left;
    return { charged, credit_left: this.#credit, ...(left !== undefined && { limit_left: left }) };
  }

  async #readCredit(): Promise<string | null> {
    const endpoint: Endpoint = { method: 'GET', path: '/account/balance', effect: 'read' };
    const options = { maxRetries: 0, timeoutMs: 5_000 };
    const result = await this.#transport.send<{ balance: string }>(endpoint, {}, options).catch(() => null);
    return result?.data.balance ?? null;
  }

  /** Returns the names of the tools that `/mcp` of the gateway lists for the API key. */
  async #listTools(): Promise<ReadonlySet<string>> {
    const endpoint: Endpoint = { method: 'POST', path: '/../mcp?policy=destructive', effect: 'read' };
    const watchdog = new Watchdog(undefined);
    try {
      const request = await this.#transport.prepare(endpoint, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, {});
      const accept = 'application/json, text/event-stream';
      const response = await this.#transport.open(request, watchdog, { accept });
      return namesIn(await watchdog.wait(response.text()));
    } catch (thrown) {
      const error = toolErrorOf(thrown);
      throw error.code === 'not_found' ? noMcp() : error;
    } finally {
      watchdog.stop();
    }
  }
}

/** Reads the result of `tools/list`: JSON, or an event stream with one event. */
function namesIn(text: string): ReadonlySet<string> {
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  try {
    const { result } = JSON.parse(json) as { result: { tools: { name: string }[] } };
    return new Set(result.tools.map(({ name }) => name));
  } catch {
    throw new ToolError('unexpected_response', 'The response to tools/list is not from Postern');
  }
}

function noMcp(): ToolError {
  return new ToolError('unexpected_response', 'There is no /mcp beside the /v1 of POSTERN_URL', {
    remedy:
      'Check POSTERN_URL. The gateway must have the version of this command, and a reverse proxy in front of it must pass /mcp',
  });
}

function toolErrorOf(thrown: unknown, signal?: AbortSignal): ToolError {
  if (thrown instanceof ToolError) return thrown;
  if (thrown instanceof PosternError) {
    const { code, message, retryAfterSeconds, requestId, idempotencyKey } = thrown;
    const key = hasUnknownOutcome(code) ? idempotencyKey : null;
    return new ToolError(code, message, { retryAfterSeconds, requestId, idempotencyKey: key });
  }
  if (signal?.aborted) return new ToolError('request_timeout', 'The client cancelled the call');
  // The client throws TypeError for arguments that cannot be sent.
  return new ToolError('bad_input', thrown instanceof Error ? thrown.message : 'The arguments cannot be sent');
}
