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

/** The price of a call that names no other (docs/money.md, Prices): 0.001 dollars. */
export const flatPrice: Micros = 1_000;
/** Of what is done with webhooks. */
export const webhookPrice: Micros = 2_500;
export const replayPrice: Micros = 5_000;

/** What a caller can do, told once. Routes, documents, metrics and prices all follow from it. */
interface ActionDeclaration<O extends z.ZodType = z.ZodType> {
  /** The name in usage, metrics and the log, such as `tweet/create`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/v1`; parameters as `{id}`. */
  readonly path: string;
  /** One line for lists. */
  readonly summary: string;
  /** What the summary and the schemas do not say; for documents, Markdown. */
  readonly description: string;
  /**
   * How an adapter for the AT Protocol could do it, for the table in docs/architecture-decisions.md. `null`: it could not, or the action asks
   * no platform.
   */
  readonly atProtocol: string | null;
  /** Taken when the action succeeds, and only then. */
  readonly price: Micros;
  /**
   * `read` changes nothing: it may be aborted when the caller hangs up. `idempotent` may be repeated without harm;
   * `once` must not be. Both are never aborted once sent.
   */
  readonly effect: 'read' | 'idempotent' | 'once';
  /** `call` answers once; `stream` goes on. */
  readonly kind: 'call' | 'stream';
  readonly input: z.ZodObject;
  /**
   * An input as a caller sends it, for documents. Ids of tweets, users and the like need only have their form: what
   * prints the documents puts those of the sandbox's dataset in their place, and shows what it really answered.
   */
  readonly example: Readonly<Record<string, unknown>>;
  /** For documents and tests; not run on every call. */
  readonly output: O;
  /**
   * True where `count`, `cursor`, `has_more` and `next_cursor` page through a list; `two-part` where the cursor is `cursor_id`
   * and `graph_snapshot_id`, and `next_cursor` has both.
   */
  readonly paged: boolean | 'two-part';
  /** For a list that belongs to a user whom the input names: the fields that name the user; otherwise `null`. */
  readonly owner: OwnerFields | null;
  /** True where an action that needs no actor takes the credentials of one all the same, to keep them. */
  readonly keepsActor: boolean;
  /** Whether it takes the actor's `encryption_code`, to open and seal messages. */
  readonly code: 'none' | 'optional' | 'required';
  /** A check of the input that takes so long that it is made once a request, off the main thread. */
  readonly expensive: ExpensiveCheck | null;
  /** True where its body may hold media, and be as large as that needs. */
  readonly takesBase64: boolean;
}

interface Context {
  /** The id of the API account that calls. */
  account: string;
  webhooks: WebhookService;
  /** As whom, and on which way, as far as the caller said. */
  credentials: Credentials;
  /** Names a write of this call, the same where its request is sent again under its `Idempotency-Key`. */
  tokenFor: (operation: string) => string;
}

export interface Credentials {
  authToken: Secret | null;
  proxy: Secret | null;
  encryptionCode: Secret | null;
}

export interface PlatformContext extends Context {
  platform: PlatformSession;
  /** Runs work that would stop the event loop. */
  tasks: TaskRunner;
  /** Takes in what the caller gives or names. */
  media: MediaUploader;
  /** Opens and seals messages, with the caller's code where there is one. */
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

/** An action on the caller's own API account; needs the API key alone. */
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
