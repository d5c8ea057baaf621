import type { AccountService } from '../../billing/account-service.ts';
import type { Idempotency } from '../../billing/idempotency.ts';
import type { Ledger } from '../../billing/ledger.ts';
import type { MediaService } from '../../media/media-service.ts';
import type { DirectMessages } from '../../messaging/conversations/direct-messages.ts';
import { type ForwardProxy, NotSupportedError, type Platform } from '../../platform/port.ts';
import { malformedField, missingField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import type { TaskRunner } from '../../shared/threads/task.ts';
import type { TaskPool } from '../../shared/threads/task-pool.ts';
import type { WebhookService } from '../../webhooks/service.ts';
import type { Action, Credentials } from '../action.ts';
import { checkInput, noNul } from '../input/input.ts';
import { type CursorSealer, cursorScope } from '../paging/cursor.ts';
import { byEdge, byPage, byTwoParts, type EdgePage, noPaging, type PagedList, type Paging } from '../paging/paging.ts';
import { type PaidRequest, type PaidResult, type PerformedRequest, payFor } from './paid-request.ts';

/** The caller of a request, as REST or GraphQL read it from the headers and the input. */
export interface Caller {
  /** The id of the API account that pays. */
  account: string;
  /** The actor's `auth_token`, if the caller sent one. */
  authToken: Secret | null;
  /** The caller's own proxy, as the caller wrote it, if there is one. */
  proxy: Secret | null;
  /** The actor's `encryption_code`, if the caller sent one. */
  encryptionCode: Secret | null;
  /** Aborted when the caller hangs up. */
  signal: AbortSignal;
  /** Aborted when the caller hangs up. Set if `signal` is also aborted at the deadline of reads. */
  gone?: AbortSignal;
}

/** An action whose input has passed every cheap check that can be made without the platform. */
export interface PreparedCall<Output = unknown> {
  readonly action: Action;
  /** The number of characters that `check` has to check; 0 if it has nothing to do. */
  readonly unchecked: number;
  /** Runs the expensive check of the input, once even if it is called several times. Throws `bad_input` naming the field. */
  check(): Promise<unknown>;
  /** Runs `check`, then performs the action. To be called once. `tokenFor` returns the token of each write on the platform. */
  perform(tokenFor: (operation: string) => string): Promise<Output>;
}

export interface ActionPipelineParts {
  ledger: Ledger;
  idempotency: Idempotency;
  accounts: AccountService;
  webhooks: WebhookService;
  platform: Platform;
  media: MediaService;
  directMessages: DirectMessages;
  /** Worker threads for work that would block the event loop. */
  tasks: TaskPool;
  cursors: CursorSealer;
  /** Reads a caller's `proxy`. Throws `bad_input`. */
  readProxy: (text: Secret) => ForwardProxy;
  runtime: Runtime;
}

type Input = Record<string, unknown>;

/** Cookie octets of RFC 6265 section 4.1.1: a token is sent as a cookie and must not become another header. */
const tokenPattern = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,1024}$/;

/** Checks, bills and performs actions. REST and GraphQL both call actions through it. */
export class ActionPipeline {
  readonly #parts: ActionPipelineParts;

  constructor(parts: ActionPipelineParts) {
    this.#parts = parts;
  }

  /** Runs the cheap checks, which come before credit is reserved. Throws `bad_input` naming the field. */
  prepare(action: Action, raw: Input, caller: Caller): PreparedCall {
    if (action.paged === 'two-part' && raw['cursor'] != null) {
      throw malformedField('cursor', 'this list takes cursor_id and graph_snapshot_id, both of the next_cursor');
    }
    return this.#prepare(action, raw, caller, pagingOf(action));
  }

  /** Does the same for a list that can be continued after any of its items. `cursor` is a cursor of an `EdgePage`. */
  prepareEdges(action: Action, raw: Input, caller: Caller): PreparedCall<EdgePage> {
    const { cursor } = raw;
    // The input schema of an action with a two-part cursor has no field `cursor`.
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
    const { cursors, accounts, webhooks } = this.#parts;
    const common = { account: caller.account, webhooks, credentials: this.#credentials(action, caller) };
    if (!action.actor) {
      const checked = checkInput(action.input, raw);
      const { input, seal } = paging(cursors, listOf(action, checked, caller.account), checked);
      const context = { ...common, accounts };
      return {
        action,
        ...nothingToCheck,
        perform: async (tokenFor) => seal(await action.run({ ...context, tokenFor }, input as never)),
      };
    }
    const authToken = checkToken(caller.authToken);
    const code = checkCode(action, caller.encryptionCode);
    const checked = { ...checkInput(action.input, raw), ...beside };
    action.validate?.(checked as never, this.#parts.platform);
    const { input, seal } = paging(cursors, listOf(action, checked, authToken.expose()), checked);
    const session = {
      account: caller.account,
      authToken,
      proxy: caller.proxy && this.#parts.readProxy(caller.proxy),
      signal: action.effect === 'read' ? caller.signal : null,
    };
    const { account } = caller;
    const gone = session.signal ?? caller.gone ?? caller.signal;
    const tasks = this.#parts.tasks.forCall({ account, signal: gone });
    const checks = expensiveChecks(action, input, tasks);
    return {
      action,
      ...checks,
      perform: async (tokenFor) => {
        const checkedInput = checks.unchecked === 0 ? input : await checks.check();
        // A write that has begun continues after its caller hangs up.
        const own = action.effect === 'read' ? tasks : this.#parts.tasks.forCall({ account, signal: null });
        const platform = this.#parts.platform.as({ ...session, tokenFor, tasks: own });
        // Fetching media stops when the caller hangs up, also for a write: nothing was sent to the platform before.
        const media = this.#parts.media.uploader({ account, proxy: session.proxy, signal: gone });
        const who = { account, authToken, proxy: caller.proxy };
        const messages = this.#parts.directMessages.session({ session: platform, who, code });
        const context = { ...common, tokenFor, platform, media, messages, tasks: own };
        return seal(await supported(action, () => action.run(context, checkedInput as never)));
      },
    };
  }

  /** Returns the credentials of a call. Credentials that the action will store are checked here; the others when they are used. */
  #credentials(action: Action, { authToken, proxy, encryptionCode: code }: Caller): Credentials {
    const encryptionCode = checkCode(action, code);
    if (action.actor) return { authToken, proxy, encryptionCode };
    if (!action.keepsActor) return { authToken: null, proxy: null, encryptionCode };
    if (authToken) checkToken(authToken);
    if (proxy) this.#parts.readProxy(proxy);
    if (proxy && !authToken) throw malformedField('proxy', 'needs auth_token beside it');
    return { authToken, proxy, encryptionCode };
  }

  /**
   * Returns false if the account's last known credit is less than `micros`. Nothing expensive should then run before the ledger has
   * decided.
   */
  covers(account: string, micros: Micros): Promise<boolean> {
    return this.#parts.ledger.covers(account, micros);
  }

  payFor<Outcome>(request: PaidRequest<Outcome> & { idempotency: null }): Promise<PerformedRequest<Outcome>>;
  payFor<Outcome>(request: PaidRequest<Outcome>): Promise<PaidResult<Outcome>>;
  /** Claims, reserves, performs and charges one request. */
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

function checkToken(token: Secret | null): Secret {
  if (token === null || token.expose() === '') throw missingField('auth_token');
  if (!tokenPattern.test(token.expose())) throw malformedField('auth_token', "must be the platform cookie's value");
  return token;
}

/** Returns the encryption code if the action accepts one. The rules for good codes apply at enrolment, not here. */
function checkCode({ code: taken }: Action, code: Secret | null): Secret | null {
  if (taken === 'none') return null;
  if (taken === 'required' && (code === null || code.expose() === '')) throw missingField('encryption_code');
  if (code === null) return null;
  if (code.expose() === '') throw malformedField('encryption_code', 'must not be empty');
  // HTTP strips blanks at the ends of a header, so a code with such blanks would work in a body only. A code that was pasted with
  // a blank would cost one of the limited guesses.
  if (/^\s|\s$/.test(code.expose())) throw malformedField('encryption_code', 'begins or ends with a blank');
  if (code.expose().includes('\0')) throw malformedField('encryption_code', noNul);
  if (code.expose().length > longestCode) throw malformedField('encryption_code', 'is longer than any code');
  return code;
}

function checkCursor(cursor: unknown): string {
  if (typeof cursor === 'string' && cursor !== '' && cursor.length <= longestCursor) return cursor;
  throw malformedField('cursor', 'must be a cursor of this list');
}

const longestCode = 256;
const longestCursor = 2_048;

function pagingOf({ paged }: Action): Paging<unknown> {
  if (paged === 'two-part') return byTwoParts;
  return paged ? byPage : noPaging;
}

function listOf({ name, owner }: Action, input: Input, actor: string): PagedList {
  return { scope: (leftOut) => cursorScope(name, input, actor, leftOut), owner };
}

async function supported<T>(action: Action, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof NotSupportedError)) throw error;
    throw new PosternError('not_supported', `Not supported by this platform: ${action.name}`);
  }
}
