import type { Action } from '../../actions/action.ts';
import { endpointOf } from '../../actions/endpoint.ts';
import { actions, streams } from '../../actions/registry.ts';
import { PosternError } from '../../client/errors.ts';
import { type CallResult, type Input, Transport } from '../../client/transport.ts';
import { hasUnknownOutcome } from '../../mcp/tool-error.ts';
import { didYouMean } from '../../shared/errors/nearest.ts';
import { formatDollars, type Micros, parseDollars } from '../../shared/model/money.ts';
import { printable, printableJson } from '../../shared/model/printable.ts';
import { type Access, readAccess } from '../access.ts';
import type { CallOptions } from '../call-command.ts';
import { failureOf } from '../exit-codes.ts';
import { CliError, paint } from '../print.ts';
import { quoted } from './describe-action.ts';
import { describeList, describeResult } from './describe-result.ts';
import { readInput } from './fields.ts';

type Data = Record<string, unknown>;

/** The maximum number of items on a page. */
const mostItems = 100;

/** Finds an action by its name. Throws `CliError` if there is none. */
export function findAction(name: string): Action {
  const action = actions.find((each) => each.name === name);
  if (action) return action;
  if (streams.some((each) => each.name === name))
    throw new CliError(`${name} is a stream: \`postern listen\` prints its events`);
  const names = actions.map((each) => each.name);
  throw new CliError(`there is no action ${name}${didYouMean(name, names)} \`postern call --help\` lists all`);
}

/** Calls an action, prints its result, and reports the cost on standard error. */
export async function call(name: string, args: readonly string[], options: CallOptions): Promise<void> {
  const action = findAction(name);
  const limit = readLimit(action, options);
  const input = await readInput(action, args);
  // Every page has the same price, so large pages are cheaper.
  if (limit !== null && 'count' in action.input.shape) input['count'] ??= Math.min(limit, mostItems);
  const access = readAccess(options);
  if (action.actor && !access.authToken)
    throw new CliError(`${name} acts as a platform account: set POSTERN_AUTH_TOKEN`, 'refused');
  if (access.isImplied) report(`Calling ${access.baseUrl} as ${access.actor}`);
  const pages = pagesOf(action, input, access, options);
  const { items } = endpointOf(action);
  const textOf = (data: Data, shown: readonly Data[], isFirst: boolean) => {
    if (options.json)
      return (limit === null ? [data] : shown).map((item) => printableJson(JSON.stringify(item))).join('\n');
    return items === undefined ? describeResult(data) : describeList(items, shown, isFirst);
  };
  // `write` reports errors.
  process.stdout.on('error', () => {});
  let charged: Micros = 0;
  let remaining: string | null = null;
  let printed = 0;
  let next: Input | null = null;
  try {
    for await (const { data, creditsCharged, creditsRemaining, replayed } of pages) {
      charged += parseDollars(creditsCharged ?? '0') ?? 0;
      remaining = creditsRemaining ?? remaining;
      next = cursorOf(data);
      if (replayed) report('A request with this idempotency key was performed before: this is its result');
      const page = items === undefined ? [] : (data[items] as Data[]);
      const shown = page.slice(0, (limit ?? page.length) - printed);
      // A cursor would skip the items that are not shown.
      if (shown.length < page.length) next = null;
      const isWritten = await write(textOf(data, shown, printed === 0));
      printed += shown.length;
      if (items !== undefined && printed === 0 && next === null) report(`No ${items.replaceAll('_', ' ')}`);
      if (!isWritten || limit === null || printed >= limit) break;
    }
  } catch (error) {
    throw asCliError(error, name, access);
  } finally {
    if (remaining !== null) report(`Charged ${formatDollars(charged)} dollars. ${remaining} dollars are left`);
    if (next) report(`Next page: ${commandOf(name, args, next, options)}`);
  }
}

/** Returns how many items the command prints: `null` for one page. */
function readLimit({ name, paged }: Action, { all, limit }: CallOptions): number | null {
  if (!all && limit === undefined) return null;
  if (paged === false) throw new CliError(`${name} returns no pages: leave out ${all ? '--all' : '--limit'}`);
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw new CliError(`--limit must be a whole number from 1, not "${limit}"`);
  return Number(limit);
}

/** Requests the pages of a list, each when it is needed. Other actions have one page. */
async function* pagesOf(
  action: Action,
  input: Input,
  { baseUrl, apiKey, authToken, encryptionCode }: Access,
  { idempotencyKey }: CallOptions,
): AsyncGenerator<CallResult<Data>, void, undefined> {
  const endpoint = endpointOf(action);
  const transport = new Transport({
    baseUrl,
    apiKey,
    ...(authToken && { authToken }),
    ...(encryptionCode && { encryptionCode }),
  });
  for (let cursor: Input | null = {}; cursor; ) {
    const result: CallResult<Data> = await transport.send<Data>(endpoint, { ...input, ...cursor }, { idempotencyKey });
    yield result;
    cursor = cursorOf(result.data);
  }
}

/** Returns the input fields that request the page after this one. */
function cursorOf({ next_cursor: next = null }: Data): Input | null {
  return typeof next === 'string' ? { cursor: next } : (next as Input | null);
}

function commandOf(name: string, args: readonly string[], next: Input, { as }: CallOptions): string {
  const others = args.filter((arg) => !((arg.split('=')[0] ?? '') in next));
  const fields = [...others, ...Object.entries(next).map(([field, value]) => `${field}=${value}`)];
  return ['postern call', name, ...[...fields, ...(as ? ['--as', as] : [])].map(quoted)].join(' ');
}

/** Waits until the text is written. Returns false if the reader has ended, such as `head`, so that no further page is needed. */
async function write(text: string): Promise<boolean> {
  if (text === '') return true;
  const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
    process.stdout.write(`${text}\n`, resolve);
  });
  if (error && error.code !== 'EPIPE') throw error;
  return !error;
}

function report(line: string): void {
  process.stderr.write(`${paint('gray', printable(line), process.stderr)}\n`);
}

/** Converts an error of the client. */
export function asCliError(error: unknown, name: string, { baseUrl }: Access): unknown {
  // The client throws these if a credential or a field cannot be sent.
  if (error instanceof TypeError || error instanceof RangeError) return new CliError(error.message);
  if (!(error instanceof PosternError)) return error;
  const { code, message, requestId, retryAfterSeconds: seconds, idempotencyKey } = error;
  const isUnknown = idempotencyKey !== null && hasUnknownOutcome(code);
  const sentences = [
    requestId === null ? printable(message) : `${printable(message)} (request ${requestId})`,
    ...(code === 'bad_input' ? [`\`postern call ${name} --help\` describes the fields`] : []),
    ...(isUnknown ? [`The call may have been performed: repeat it with --idempotency-key ${idempotencyKey}`] : []),
    ...(seconds === null ? [] : [`Try again in ${seconds} s`]),
    ...(code === 'connection_failed' ? [`Is a gateway running at ${baseUrl}?`] : []),
  ];
  return new CliError(sentences.join('. '), failureOf(code));
}
