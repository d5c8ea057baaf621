import type { AccountService } from '../../billing/account-service.ts';
import type { AuthenticatedKey } from '../../billing/api-key-authenticator.ts';
import type { CallRecorder } from '../../billing/call-recorder.ts';
import type { FailedCallLimit } from '../../billing/failed-call-limit.ts';
import type { Idempotency } from '../../billing/idempotency.ts';
import type { Ledger } from '../../billing/ledger.ts';
import type { StreamTokens } from '../../billing/stream-tokens.ts';
import type { ConnectionService } from '../../connections/connection-service.ts';
import { isConnectionId } from '../../connections/logins.ts';
import type { MediaService } from '../../media/media-service.ts';
import type { DirectMessages } from '../../messaging/conversations/direct-messages.ts';
import {
  type CredentialResolver,
  type ForwardProxy,
  NotSupportedError,
  type Platform,
  type PlatformCall,
  type PlatformCost,
} from '../../platform/port.ts';
import { malformedField, missingField } from '../../shared/errors/fields.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { operator } from '../../shared/model/audit.ts';
import type { Capabilities } from '../../shared/model/capabilities.ts';
import { connectionIdPattern } from '../../shared/model/connection.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { CancelSignal } from '../../shared/runtime/cancellation.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import type { TaskRunner } from '../../shared/threads/task.ts';
import type { TaskPool } from '../../shared/threads/task-pool.ts';
import type { WebhookService } from '../../webhooks/service.ts';
import type { Action, Credentials } from '../action.ts';
import { checkInput } from '../input/input.ts';
import { type CursorSealer, cursorScope } from '../paging/cursor.ts';
import {
  byEdge,
  byPage,
  byTwoPartCursor,
  type EdgePage,
  noPaging,
  type PagedList,
  type Paging,
} from '../paging/paging.ts';
import { connectionNotAllowed, permissionRefusal, requirePermission } from './key-permission.ts';
import { type PaidCall, type PaidRequest, type PaidResult, type PerformedRequest, payFor } from './paid-request.ts';

/** The sender of a request, with the credentials that the API read from the headers and the input. */
export interface Caller {
  /** The id of the API account that is charged. */
  account: string;
  /** The API key. `null` only for a GraphQL document that reads nothing but the schema. */
  key: AuthenticatedKey | null;
  /** The `auth_token` of the platform user on whose behalf the action runs. `null` if not given. */
  authToken: Secret | null;
  /** The URL of the caller's own proxy. `null` if not given. */
  proxy: Secret | null;
  /** The `encryption_code` of the platform user. `null` if not given. */
  encryptionCode: Secret | null;
  /** Aborted when the client disconnects. */
  signal: CancelSignal;
  /**
   * Aborted when the client disconnects. Set only if `signal` is also aborted when the time limit for reads has passed.
   */
  gone?: CancelSignal;
  /** Called with the size of each response to a read (`PlatformCall`). */
  onResponse?: PlatformCall['onResponse'];
  /** The parts of objects that the caller will see. All parts if undefined. */
  needs?: PlatformCall['needs'];
  /** Sums up what the platform charges for the request, for its log line. */
  spending: { platformMicros: Micros };
}

/** An action whose input has passed all checks that are cheap and need no request to the platform. */
export interface PreparedCall<Output = unknown> {
  readonly action: Action;
  /** The number of characters that `check` will process. 0 if there is nothing to check. */
  readonly unchecked: number;
  /**
   * Runs the expensive check of the input. Further calls return the first result. Throws `bad_input`, which names the
   * field.
   */
  check(): Promise<unknown>;
  /**
   * Runs `check` and then the action. May be called only once. `tokenFor` returns the idempotency token of
   * each write on the platform. `onCost` is called with each amount that the platform charges, in micro-dollars.
   */
  run(tokenFor: (operation: string) => string, onCost: (micros: Micros) => void): Promise<Output>;
}

type Input = Record<string, unknown>;

/** One call of an action, and the form of its response. */
export interface ActionRequest<Outcome>
  extends Pick<PaidCall<Outcome>, 'outcomeOf' | 'bodyOf' | 'whileCharging' | 'errorBodyOf'> {
  action: Action;
  input: Input;
  caller: Caller;
  /** Returns the Idempotency-Key, and the content that a repeated request must match. Called after the input was checked. */
  idempotency: () => PaidCall<Outcome>['idempotency'];
}

export interface ActionPipelineParts {
  ledger: Ledger;
  recorder: CallRecorder;
  failedCalls: FailedCallLimit;
  idempotency: Idempotency;
  streamTokens: StreamTokens;
  accounts: AccountService;
  connections: ConnectionService;
  logins: CredentialResolver;
  webhooks: WebhookService;
  platform: Platform;
  /** The response of the action `capabilities`. */
  capabilities: Capabilities;
  media: MediaService;
  directMessages: DirectMessages;
  /** Worker threads for CPU-intensive work, which would otherwise block the event loop. */
  tasks: TaskPool;
  cursors: CursorSealer;
  /** Parses the `proxy` that a caller sent. Throws `bad_input`. */
  readProxy: (text: Secret) => ForwardProxy;
  runtime: Runtime;
}

/**
 * The characters that RFC 6265, section 4.1.1, allows in a cookie value. The token is sent in a header, so other
 * characters could inject one.
 */
const tokenPattern = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,1024}$/;

/** Validates, bills and performs actions. REST and GraphQL both use this class. */
export class ActionPipeline {
  readonly #parts: ActionPipelineParts;

  constructor(parts: ActionPipelineParts) {
    this.#parts = parts;
  }

  /** Returns true if the platform supports the action and the restrictions of the API key allow it. */
  offers(action: Action, { restrictions }: AuthenticatedKey): boolean {
    if (this.#parts.platform.capabilities.unsupported[action.name] !== undefined) return false;
    return restrictions === null || permissionRefusal(action, restrictions) === null;
  }

  /**
   * Checks the restrictions of the API key, and runs the cheap checks of an action's input. Call it before credit is
   * reserved. Throws `forbidden`, `bad_input`, which names the field, or `not_supported`.
   */
  prepare(action: Action, raw: Input, caller: Caller): PreparedCall {
    if (caller.key?.restrictions) requirePermission(action, caller.key.restrictions);
    return this.#prepare(action, raw, caller, pagingOf(action));
  }

  /** Prepares an action whose list can be continued after any item. `cursor` is a cursor of an `EdgePage`. */
  prepareEdges(action: Action, raw: Input, caller: Caller): PreparedCall<EdgePage> {
    if (caller.key?.restrictions) requirePermission(action, caller.key.restrictions);
    const { cursor } = raw;
    // Lists with a two-part cursor have no input field `cursor`, so the cursor is checked separately.
    const after = action.paged === 'two-part' && cursor !== undefined ? { cursor: checkCursor(cursor) } : {};
    return this.#prepare(action, raw, caller, byEdge, after);
  }

  #prepare<Output>(
    action: Action,
    raw: Input,
    caller: Caller,
    paging: Paging<Output>,
    beside: Input = {},
  ): PreparedCall<Output> {
    const { cursors, accounts, connections, capabilities } = this.#parts;
    const allowed = caller.key?.restrictions?.connections ?? null;
    const webhooks = this.#parts.webhooks.only(allowed);
    const author = caller.key?.author ?? operator;
    const common = { account: caller.account, author, webhooks, credentials: this.#credentials(action, caller) };
    if (!action.actor) {
      const checked = checkInput(action.input, raw);
      const { input, seal } = paging(cursors, listOf(action, checked, caller.account), checked);
      const triesLogin = hasLogin(action, checked, common.credentials);
      const context = { ...common, accounts, connections, usableConnections: allowed, capabilities };
      return {
        action,
        ...nothingToCheck,
        run: async (tokenFor) => {
          const run = () => action.run({ ...context, tokenFor }, input as never);
          if (!triesLogin) return seal(await run());
          this.#parts.failedCalls.check(caller.account);
          return seal(await this.#counted(caller, run));
        },
      };
    }
    const authToken = checkToken(caller.authToken, caller);
    const code = checkCode(action, caller.encryptionCode);
    const checked = { ...checkInput(action.input, raw), ...beside };
    action.validate?.(checked as never, this.#parts.platform, common.credentials);
    const reason = this.#parts.platform.capabilities.unsupported[action.name];
    if (reason !== undefined) throw notSupported(action, reason);
    const { input, seal } = paging(cursors, listOf(action, checked, authToken.expose()), checked);
    const session = {
      account: caller.account,
      authToken,
      proxy: caller.proxy && this.#parts.readProxy(caller.proxy),
      signal: action.effect === 'read' ? caller.signal : null,
      onResponse: action.effect === 'read' ? caller.onResponse : undefined,
    };
    const { account } = caller;
    const gone = session.signal ?? caller.gone ?? caller.signal;
    const tasks = this.#parts.tasks.forCall({ account, signal: gone });
    const checks = expensiveChecks(action, input, tasks);
    return {
      action,
      ...checks,
      run: async (tokenFor, onCost) => {
        this.#parts.failedCalls.check(account);
        // What does not work is refused before the action stores or sends anything.
        if (isConnectionId(authToken)) {
          const { signal } = caller;
          await this.#counted(caller, () => this.#parts.logins.credentialOf({ account, authToken, signal }));
        }
        const checkedInput = checks.unchecked === 0 ? input : await checks.check();
        // A write that has started continues after the client disconnects.
        const own = action.effect === 'read' ? tasks : this.#parts.tasks.forCall({ account, signal: null });
        // Spreads come last, because adding a property to an object that began with a spread takes a microsecond.
        const cost: PlatformCost = {
          add: (_priceClass, _objects, micros) => {
            onCost(micros);
            caller.spending.platformMicros += micros;
          },
        };
        const platform = this.#parts.platform.as({ tokenFor, cost, needs: caller.needs, tasks: own, ...session });
        // Downloading media stops when the client disconnects, even for a write, because nothing has been sent to the
        // platform at that point.
        const media = this.#parts.media.uploader({ account, proxy: session.proxy, signal: gone });
        const who = { account, authToken, proxy: caller.proxy };
        const messages = this.#parts.directMessages.session({ session: platform, who, code });
        const { streamTokens } = this.#parts;
        const { key } = caller;
        const context = { tokenFor, platform, media, messages, tasks: own, key, streamTokens, ...common };
        const run = () => named(action, () => action.run(context, checkedInput as never));
        return seal(await this.#counted(caller, run));
      },
    };
  }

  /** Runs a part of a call, whose failure counts for the limit of failed calls. */
  async #counted<T>(caller: Caller, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (this.#isCounted(error, caller)) this.#parts.failedCalls.count(caller.account);
      throw error;
    }
  }

  /** Returns true for a failure that the caller could avoid, and false for one of the operator's platform or of this service. */
  #isCounted(thrown: unknown, { proxy }: Caller): boolean {
    const { status, code } = asPosternError(thrown);
    if (code === 'platform_unavailable' || code === 'platform_timeout')
      return proxy !== null || this.#parts.platform.callersChooseServers;
    return status < 500;
  }

  /**
   * Parses the credentials of a call. Credentials that the action stores are validated now, because the action does not
   * use them.
   */
  #credentials(action: Action, caller: Caller): Credentials {
    const { authToken, proxy, encryptionCode: code } = caller;
    const encryptionCode = checkCode(action, code);
    if (action.actor) return { authToken, proxy, encryptionCode };
    if (!action.keepsActor) return { authToken: null, proxy: null, encryptionCode };
    if (authToken) checkToken(authToken, caller);
    if (proxy) this.#parts.readProxy(proxy);
    if (proxy && !authToken) throw malformedField('proxy', 'requires auth_token');
    return { authToken, proxy, encryptionCode };
  }

  /**
   * Returns false if the last known credit of the account is below `micros`. Expensive checks should then wait until
   * the ledger has reserved credit.
   */
  covers(account: string, micros: Micros): Promise<boolean> {
    return this.#parts.ledger.covers(account, micros);
  }

  /** Checks, performs and charges one call of an action. */
  async perform<Outcome>(request: ActionRequest<Outcome>): Promise<PaidResult<Outcome>> {
    const { action, input, caller, idempotency, ...form } = request;
    const { account, key } = caller;
    const call = this.prepare(action, input, caller);
    // The expensive check is skipped if the account cannot pay, because the ledger then refuses the call below.
    if (call.unchecked > 0 && (await this.covers(account, action.price))) await call.check();
    return this.payFor({ account, budget: key?.budget ?? null, idempotency: idempotency(), call, ...form });
  }

  payFor<Outcome>(request: PaidRequest<Outcome> & { idempotency: null }): Promise<PerformedRequest<Outcome>>;
  payFor<Outcome>(request: PaidRequest<Outcome>): Promise<PaidResult<Outcome>>;
  /** Performs a paid request: claims the Idempotency-Key, reserves credit, performs the calls and charges them. */
  payFor<Outcome>(request: PaidRequest<Outcome>): Promise<PaidResult<Outcome>> {
    return payFor(this.#parts, request);
  }
}

const nothingToCheck = { unchecked: 0, check: async () => undefined };

function expensiveChecks({ expensive }: Action, input: Input, tasks: TaskRunner) {
  const unchecked = expensive?.size(input as never) ?? 0;
  if (!expensive || unchecked === 0) return { unchecked: 0, check: async () => input };
  let checking: Promise<unknown> | undefined;
  return { unchecked, check: () => (checking ??= expensive.check(input as never, tasks)) };
}

/** Returns true for a call that signs in at the platform with credentials, which could otherwise be guessed without a limit. */
function hasLogin({ secretFields }: Action, input: Input, { authToken }: Credentials): boolean {
  return authToken !== null || secretFields.some((field) => input[field] !== undefined);
}

function checkToken(token: Secret | null, { key }: Caller): Secret {
  if (token === null || token.expose() === '') throw missingField('auth_token');
  const { connections } = key?.restrictions ?? {};
  if (connections && !connections.includes(token.expose()))
    throw connectionNotAllowed(isConnectionId(token) ? token.expose() : null);
  if (isConnectionId(token) && !connectionIdPattern.test(token.expose()))
    throw new PosternError('connection_not_found', 'auth_token begins with conn_, but is not the id of a connection');
  if (!tokenPattern.test(token.expose())) throw malformedField('auth_token', 'must be a token of the platform');
  return token;
}

/** Returns the encryption code if the action accepts one. The rules against weak codes apply only to enrolment. */
function checkCode({ code: taken }: Action, code: Secret | null): Secret | null {
  if (taken === 'none') return null;
  if (taken === 'required' && (code === null || code.expose() === '')) throw missingField('encryption_code');
  if (code === null) return null;
  if (code.expose() === '') throw malformedField('encryption_code', 'must not be empty');
  if (code.expose().length > longestCode) throw malformedField('encryption_code', 'is longer than any code');
  // HTTP removes blanks at both ends of a header value, so a code with such blanks would be valid only in a body.
  // Refusing them also prevents a pasted blank from costing one of the limited guesses.
  if (/^\s|\s$/.test(code.expose())) throw malformedField('encryption_code', 'begins or ends with a blank');
  if (/[\p{Cc}\p{Cs}]/u.test(code.expose())) throw malformedField('encryption_code', 'has control characters');
  return code;
}

function checkCursor(cursor: unknown): string {
  if (typeof cursor === 'string' && cursor !== '' && cursor.length <= longestCursor) return cursor;
  throw malformedField('cursor', 'must be a cursor of this list');
}

const longestCode = 256;
const longestCursor = 2_048;

function pagingOf({ paged }: Action): Paging<unknown> {
  if (paged === 'two-part') return byTwoPartCursor;
  return paged ? byPage : noPaging;
}

function listOf({ name, owner }: Action, input: Input, actor: string): PagedList {
  return { scope: (leftOut) => cursorScope(name, input, actor, leftOut), owner };
}

function notSupported({ name }: Action, reason: string): NotSupportedError {
  return new NotSupportedError(`${name}. ${reason}`);
}

/** Adds the name of the action to the message of a `NotSupportedError`. */
async function named<T>(action: Action, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof NotSupportedError ? notSupported(action, error.detail) : error;
  }
}
