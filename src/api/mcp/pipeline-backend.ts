import type { IncomingMessage, ServerResponse } from 'node:http';
import { knownInput } from '../../actions/input/input.ts';
import type { Caller } from '../../actions/pipeline/action-pipeline.ts';
import type { AccountService } from '../../billing/account-service.ts';
import type { AuthenticatedKey } from '../../billing/api-key-authenticator.ts';
import type { StoredResponse } from '../../billing/idempotency-claim.ts';
import type { Cost, ToolOutcome } from '../../mcp/results.ts';
import type { ToolBackend, ToolCall } from '../../mcp/server.ts';
import { hasUnknownOutcome, mayBeCharged, missingCredential, ToolError } from '../../mcp/tool-error.ts';
import { tools } from '../../mcp/tools.ts';
import { asPosternError } from '../../shared/errors/postern-error.ts';
import { errorCodeOf } from '../../shared/errors/table.ts';
import { formatDollars } from '../../shared/model/money.ts';
import { logFailure } from '../../shared/observability/failures.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { requestContent } from '../http/idempotency-key.ts';
import { credentialsIn } from '../http/request.ts';
import { localsOf, noteError } from '../http/request-locals.ts';
import type { Envelope } from '../rest/envelope.ts';
import { envelopeForm } from '../rest/response-body.ts';
import type { RestParts } from '../rest/router.ts';
import { unknownParameter } from '../rest/unknown-parameters.ts';

export interface PipelineBackendParts extends Omit<RestParts, 'actions'> {
  accounts: AccountService;
  runtime: Runtime;
}

interface HttpCall {
  request: IncomingMessage;
  response: ServerResponse;
  key: AuthenticatedKey;
}

/** Performs the tool call of one HTTP request in this process, with the credentials in its headers. */
export class PipelineBackend implements ToolBackend {
  readonly #parts: PipelineBackendParts;
  readonly #http: HttpCall;
  #calling: Promise<unknown> | undefined;

  constructor(parts: PipelineBackendParts, http: HttpCall) {
    this.#parts = parts;
    this.#http = http;
  }

  async offered(): Promise<ReadonlySet<string>> {
    const { pipeline } = this.#parts;
    const offered = tools.filter(({ action }) => pipeline.offers(action, this.#http.key));
    return new Set(offered.map(({ definition }) => definition.name));
  }

  call(call: ToolCall): Promise<ToolOutcome> {
    const calling = this.#callTool(call);
    this.#calling = calling.catch(() => {});
    return calling;
  }

  /** Resolves when the call has ended. */
  async ended(): Promise<void> {
    await this.#calling;
  }

  async costOf({ code }: ToolError): Promise<Cost> {
    return { charged: mayBeCharged(code) ? null : '0', credit_left: await this.#credit() };
  }

  async #callTool({ tool, input: given, idempotencyKey, signal }: ToolCall): Promise<ToolOutcome> {
    const { action, takesKey } = tool;
    const { response, key } = this.#http;
    const { runtime, pipeline, recorder, logger } = this.#parts;
    const locals = localsOf(response);
    locals.action = action.name;
    const caller = this.#caller(signal);
    // A client whose user left a credential out may send an empty header.
    if (action.actor && !caller.authToken?.expose())
      throw missingCredential('the token of a platform account', 'the header x-auth-token');
    if (action.code === 'required' && !caller.encryptionCode?.expose())
      throw missingCredential('the encryption code of direct messages', 'the header x-encryption-code');
    const usedKey = takesKey ? (idempotencyKey ?? runtime.randomBytes(16).toString('hex')) : null;
    try {
      const { input, unknown } = knownInput(action.input, given);
      if (unknown.length > 0) throw unknownParameter(unknown);
      const secrets = [caller.authToken, caller.proxy, caller.encryptionCode].map((secret) => secret?.expose() ?? null);
      const idempotency = () =>
        usedKey === null ? null : { key: usedKey, content: requestContent(action.name, input, secrets) };
      const form = envelopeForm(action, true);
      const paid = await pipeline.perform({ action, input, caller, idempotency, ...form });
      const isKept = paid.kind === 'kept';
      const data = isKept ? keptData(paid.answer) : paid.outcome.output;
      const settled = isKept ? null : paid.settled;
      if (settled) locals.charged = settled.charged;
      const cost = settled
        ? { charged: formatDollars(settled.charged), credit_left: formatDollars(settled.remaining) }
        : { charged: '0', credit_left: await this.#credit() };
      return { data, cost, replayed: isKept || paid.wasPaidBefore };
    } catch (thrown) {
      if (thrown instanceof ToolError) throw thrown;
      const error = asPosternError(thrown);
      logFailure(logger, locals.requestId, error);
      noteError(response, error);
      recorder.failed(key.account, action.name, error.code);
      throw new ToolError(error.code, error.message, {
        retryAfterSeconds: error.retryAfterSeconds ?? null,
        requestId: locals.requestId,
        idempotencyKey: hasUnknownOutcome(error.code) ? usedKey : null,
      });
    }
  }

  #caller(signal: AbortSignal): Caller {
    const { request, response, key } = this.#http;
    return { account: key.account, key, ...credentialsIn(request), signal, spending: localsOf(response) };
  }

  /** Returns the credit of the account. `null` if the store cannot be reached. */
  async #credit(): Promise<string | null> {
    const balance = await this.#parts.accounts.balance(this.#http.key.account).catch(() => null);
    return balance?.balance ?? null;
  }
}

function keptData({ status, body }: StoredResponse): unknown {
  const envelope = JSON.parse(body) as Envelope;
  if (!envelope.status) throw new ToolError(errorCodeOf(status), envelope.error);
  return envelope.data;
}
