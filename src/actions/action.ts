import type { z } from 'zod';
import type { AccountService } from '../billing/account-service.ts';
import type { AuthenticatedKey } from '../billing/api-key-authenticator.ts';
import type { StreamTokens } from '../billing/stream-tokens.ts';
import type { ConnectionService } from '../connections/connection-service.ts';
import type { MediaUploader } from '../media/media-uploader.ts';
import type { MessagingSession } from '../messaging/conversations/messaging-session.ts';
import type { Platform, PlatformSession } from '../platform/port.ts';
import type { AuditAuthor } from '../shared/model/audit.ts';
import type { Capabilities } from '../shared/model/capabilities.ts';
import type { EndpointGroup } from '../shared/model/key-restrictions.ts';
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

/** The name of an action, which begins with its endpoint group. */
export type ActionName = EndpointGroup | `${EndpointGroup}/${string}`;

/** Says that an action is deprecated, and when it may be removed (docs/versioning.md). */
export interface Deprecation {
  /** The day of the announcement, such as `2026-11-22`. */
  readonly since: string;
  /** The day from which the action may be missing, at least a year later. */
  readonly sunset: string;
  /** The action that replaces it. */
  readonly use: ActionName;
}

/** Declares an action of the gateway. Routes, documents, metrics and prices are all derived from this declaration. */
interface ActionDeclaration<O extends z.ZodType = z.ZodType> {
  /** The name of the action in usage reports, metrics and the log, such as `tweet/create`. */
  readonly name: ActionName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below `/v1`, by default the name. Parameters are written `{id}`. */
  readonly path: string;
  /** A summary of one line, for lists of actions. */
  readonly summary: string;
  /** Further sentences for the documents, in Markdown. */
  readonly description: string;
  /** The price in micro-dollars, charged only if the action succeeds. By default the flat price, or 0 without an actor. */
  readonly price: Micros;
  /**
   * The effect of the action. `read` changes nothing, and is aborted when the client disconnects. `idempotent` may be
   * repeated safely. `once` must not be repeated. Actions of the last two kinds are not aborted once they have started. By default that of the
   * method.
   */
  readonly effect: 'read' | 'idempotent' | 'once';
  /** `call` returns one response. `stream` sends events until the connection closes. */
  readonly kind: 'call' | 'stream';
  readonly input: z.ZodObject;
  /**
   * An example of an input, for the documents. The script that prints the documents replaces the ids with ids of the
   * sandbox's dataset, performs the action, and prints the real response.
   */
  readonly example: Readonly<Record<string, unknown>>;
  /** The schema of the output, used by documents and tests. Responses are not validated with it at run time. */
  readonly output: O;
  /**
   * True if the action returns pages of a list with `count`, `cursor`, `has_more` and `next_cursor`. `two-part` if the
   * cursor has the two fields `cursor_id` and `graph_snapshot_id`.
   */
  readonly paged: boolean | 'two-part';
  /** The input fields that name the user to whom the list belongs. `null` if the list belongs to no such user. */
  readonly owner: OwnerFields | null;
  /** True if the action stores the credentials of a platform user, although it does not act as that user. */
  readonly keepsActor: boolean;
  /** Says if the action accepts or requires the user's `encryption_code`, which is needed to decrypt and encrypt messages. */
  readonly code: 'none' | 'optional' | 'required';
  /** A slow check of the input, which runs in a worker thread once per request. `null` if there is none. */
  readonly expensive: ExpensiveCheck | null;
  /** True if the body may contain media in base64. The size limit of the body is raised accordingly. */
  readonly takesBase64: boolean;
  /** True if the action deletes or overwrites something that no other call restores. */
  readonly destructive: boolean;
  /** True if the action returns, stores or creates a credential. Agents have no tool for it. */
  readonly handlesCredentials: boolean;
  /** The input fields with credentials, which the tool of the action does not have. */
  readonly secretFields: readonly string[];
  /** The endpoint group that a restricted API key needs. `null` for the group in the action's name. */
  readonly keyGroup: EndpointGroup | null;
  /** `null` if the action stays. */
  readonly deprecated: Deprecation | null;
}

interface Context {
  /** The id of the API account that sent the request. */
  account: string;
  /** The author of changes, for the audit log. */
  author: AuditAuthor;
  webhooks: WebhookService;
  /** The credentials in this call: platform token, proxy and encryption code. Each is optional. */
  credentials: Credentials;
  /**
   * Returns the idempotency token for a write on the platform. A request that is sent again with the same
   * `Idempotency-Key` gets the same token.
   */
  tokenFor: (operation: string) => string;
}

export interface Credentials {
  authToken: Secret | null;
  proxy: Secret | null;
  encryptionCode: Secret | null;
}

export interface PlatformContext extends Context {
  /** The API key of the call. `null` only for a GraphQL document that reads nothing but the schema. */
  key: AuthenticatedKey | null;
  platform: PlatformSession;
  /** Runs CPU-intensive work in worker threads, so that it does not block the event loop. */
  tasks: TaskRunner;
  /** Downloads or decodes media that the caller sends, and uploads it to the platform. */
  media: MediaUploader;
  /** Decrypts and encrypts messages with the caller's encryption code, if given. */
  messages: MessagingSession;
  /** Makes the tokens that open live streams. */
  streamTokens: StreamTokens;
}

export interface AccountContext extends Context {
  accounts: AccountService;
  connections: ConnectionService;
  /** The connections that the API key may use; `null` if it may use all. */
  usableConnections: readonly string[] | null;
  /** The capabilities of the connected platform. */
  capabilities: Capabilities;
}

/** An action on the platform. The caller sends the `auth_token` of the platform user on whose behalf it runs. */
export interface PlatformAction<O extends z.ZodType = z.ZodType> extends ActionDeclaration<O> {
  readonly actor: true;
  /** Checks the input against limits of the platform and the given credentials, without sending a request. Throws `bad_input`. */
  readonly validate?: (input: never, platform: Platform, credentials: Credentials) => void;
  readonly run: (context: PlatformContext, input: never) => Promise<unknown>;
}

/** An action on the caller's own API account. The API key is the only credential that it needs. */
export interface AccountAction<O extends z.ZodType = z.ZodType> extends ActionDeclaration<O> {
  readonly actor: false;
  readonly run: (context: AccountContext, input: never) => Promise<unknown>;
}

export type Action<O extends z.ZodType = z.ZodType> = PlatformAction<O> | AccountAction<O>;

type Defaulted =
  | ('path' | 'price' | 'effect' | 'kind' | 'paged' | 'owner' | 'keepsActor' | 'code' | 'takesBase64' | 'description')
  | ('destructive' | 'handlesCredentials' | 'secretFields' | 'keyGroup' | 'deprecated');
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
  kind: 'call',
  paged: false,
  owner: null,
  keepsActor: false,
  code: 'none',
  takesBase64: false,
  destructive: false,
  handlesCredentials: false,
  secretFields: [],
  expensive: null,
  description: '',
  keyGroup: null,
  deprecated: null,
} as const;

/** The effect of most actions with a method. */
const effects = { GET: 'read', POST: 'once', PUT: 'idempotent', PATCH: 'idempotent', DELETE: 'once' } as const;

function defaultsOf({ name, method }: Pick<ActionDeclaration, 'name' | 'method'>, price: Micros) {
  return { ...defaults, path: `/${name}`, price, effect: effects[method] };
}

/** The output of an action, such as `OutputOf<typeof createTweet>`. */
export type OutputOf<A extends Action> = z.output<A['output']>;

export function platformAction<I extends z.ZodObject, O extends z.ZodType, Checked = z.output<I>>(
  declaration: Declaration<I, O, PlatformContext, Checked> & {
    validate?: (input: z.output<I>, platform: Platform, credentials: Credentials) => void;
  },
): PlatformAction<O> {
  return { ...defaultsOf(declaration, flatPrice), ...declaration, actor: true };
}

export function accountAction<I extends z.ZodObject, O extends z.ZodType>(
  declaration: Declaration<I, O, AccountContext>,
): AccountAction<O> {
  return { ...defaultsOf(declaration, 0), ...declaration, actor: false };
}
