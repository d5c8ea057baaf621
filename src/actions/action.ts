import type { z } from 'zod';
import type { AccountService } from '../billing/account-service.ts';
import type { MediaUploader } from '../media/media-uploader.ts';
import type { MessagingSession } from '../messaging/conversations/messaging-session.ts';
import type { Platform, PlatformSession } from '../platform/port.ts';
import type { Micros } from '../shared/model/money.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import type { ExpensiveCheck, TaskRunner } from '../shared/threads/task.ts';
import type { WebhookService } from '../webhooks/service.ts';
import type { OwnerFields } from './input/list-owner.ts';

/** The price of most calls (docs/money.md, Prices): 0.001 dollars. */
export const flatPrice: Micros = 1_000;
/** The price of an operation on webhooks. */
export const webhookPrice: Micros = 2_500;
export const replayPrice: Micros = 5_000;

/** The only description of something that a caller can do. Routes, documents, metrics and prices derive from it. */
interface ActionDeclaration<O extends z.ZodType = z.ZodType> {
  /** The name in usage, metrics and the log, such as `tweet/create`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below `/v1`. Parameters are written `{id}`. */
  readonly path: string;
  /** One line for lists. */
  readonly summary: string;
  /** Further sentences for documents, in Markdown. */
  readonly description: string;
  /**
   * How an adapter for the AT Protocol could perform the action, for the table in docs/architecture-decisions.md. `null` if it could not,
   * or if the action calls no platform.
   */
  readonly atProtocol: string | null;
  /** Charged only if the action succeeds. */
  readonly price: Micros;
  /**
   * `read` changes nothing: it may be aborted when the caller hangs up. `idempotent` may be repeated without harm;
   * `once` must not be. Both are never aborted once sent.
   */
  readonly effect: 'read' | 'idempotent' | 'once';
  /** `call` returns one response; `stream` returns events until it is closed. */
  readonly kind: 'call' | 'stream';
  readonly input: z.ZodObject;
  /**
   * An input as a caller sends it, for documents. Ids need only be well-formed: the script that prints the documents replaces them
   * with ids of the sandbox's dataset, performs the action and prints the real response.
   */
  readonly example: Readonly<Record<string, unknown>>;
  /** For documents and tests; not run on every call. */
  readonly output: O;
  /**
   * True if `count`, `cursor`, `has_more` and `next_cursor` page through a list. `two-part` if the cursor consists of `cursor_id`
   * and `graph_snapshot_id`, and `next_cursor` has both.
   */
  readonly paged: boolean | 'two-part';
  /** The input fields that name the user whom the list belongs to; `null` if there is no such user. */
  readonly owner: OwnerFields | null;
  /** True if an action without an actor accepts an actor's credentials, because it stores them. */
  readonly keepsActor: boolean;
  /** Whether the action accepts the actor's `encryption_code`, with which messages are decrypted and encrypted. */
  readonly code: 'none' | 'optional' | 'required';
  /** A slow check of the input. It runs once for each request, in a worker thread. */
  readonly expensive: ExpensiveCheck | null;
  /** True if the body may contain media in base64, and may be as large as such media. */
  readonly takesBase64: boolean;
}

interface Context {
  /** The id of the API account that calls. */
  account: string;
  webhooks: WebhookService;
  /** The credentials of this call: platform token, proxy and encryption code, if given. */
  credentials: Credentials;
  /** Returns the token of a write of this call. It is the same if the request is sent again with its `Idempotency-Key`. */
  tokenFor: (operation: string) => string;
}

export interface Credentials {
  authToken: Secret | null;
  proxy: Secret | null;
  encryptionCode: Secret | null;
}

export interface PlatformContext extends Context {
  platform: PlatformSession;
  /** Runs work in worker threads that would block the event loop. */
  tasks: TaskRunner;
  /** Fetches or decodes the media that the caller sends. */
  media: MediaUploader;
  /** Decrypts and encrypts messages with the caller's encryption code, if given. */
  messages: MessagingSession;
}

export interface AccountContext extends Context {
  accounts: AccountService;
}

/** An action performed on the platform as the actor whose `auth_token` the caller sends. */
export interface PlatformAction<O extends z.ZodType = z.ZodType> extends ActionDeclaration<O> {
  readonly actor: true;
  /** Checks of the input that depend on the platform but need no request to it. Throws `bad_input`. */
  readonly validate?: (input: never, platform: Platform) => void;
  readonly run: (context: PlatformContext, input: never) => Promise<unknown>;
}

/** An action on the caller's own API account. It needs only the API key. */
export interface AccountAction<O extends z.ZodType = z.ZodType> extends ActionDeclaration<O> {
  readonly actor: false;
  readonly run: (context: AccountContext, input: never) => Promise<unknown>;
}

export type Action<O extends z.ZodType = z.ZodType> = PlatformAction<O> | AccountAction<O>;

type Defaulted = 'atProtocol' | 'kind' | 'paged' | 'owner' | 'keepsActor' | 'code' | 'takesBase64' | 'description';
type Declaration<I extends z.ZodObject, O extends z.ZodType, Context, Checked = z.output<I>> = Omit<
  ActionDeclaration,
  Defaulted | 'expensive' | 'input' | 'output' | 'example'
> &
  Partial<Pick<ActionDeclaration, Defaulted>> & {
    input: I;
    output: O;
    example: z.input<I>;
    expensive?: ExpensiveCheck<z.output<I>, Checked>;
    run: (context: Context, input: Checked) => Promise<z.input<O>>;
  };

const defaults = {
  atProtocol: null,
  kind: 'call',
  paged: false,
  owner: null,
  keepsActor: false,
  code: 'none',
  takesBase64: false,
  expensive: null,
  description: '',
} as const;

/** The output of an action, such as `OutputOf<typeof createTweet>`. */
export type OutputOf<A extends Action> = z.output<A['output']>;

export function platformAction<I extends z.ZodObject, O extends z.ZodType, Checked = z.output<I>>(
  declaration: Declaration<I, O, PlatformContext, Checked> & {
    validate?: (input: z.output<I>, platform: Platform) => void;
  },
): PlatformAction<O> {
  return { ...defaults, ...declaration, actor: true };
}

export function accountAction<I extends z.ZodObject, O extends z.ZodType>(
  declaration: Declaration<I, O, AccountContext>,
): AccountAction<O> {
  return { ...defaults, ...declaration, actor: false };
}
