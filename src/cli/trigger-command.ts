import { Argument, Command } from 'commander';
import type { ActivityType } from '../sandbox/dataset/activity.ts';
import { commandName } from '../shared/config/command-name.ts';
import { parseUrl } from '../shared/model/parse-url.ts';
import { printable } from '../shared/model/printable.ts';
import { readDemo } from './access.ts';
import type { Failure } from './exit-codes.ts';
import { CliError, print, table } from './print.ts';

/** Events that other users cause on an account (`POST /control/events`). */
const activities = [
  'like',
  'reply',
  'quote',
  'retweet',
  'mention',
  'follow',
] as const satisfies readonly ActivityType[];
/** Events of conversations (`POST /control/messages`). */
const messages = ['message', 'edit', 'deletion', 'reaction_added', 'reaction_removed'] as const;

interface TriggerOptions {
  to: string;
  from?: string;
  count?: string;
  text?: string;
  tweet?: string;
  message?: string;
  emoji?: string;
  json?: boolean;
}

interface ActivityResponse {
  events: { type: string; created_at: string; actor: { screen_name: string }; tweet: { id: string } | null }[];
}

interface MessageResponse {
  conversation_id: string;
  event: { id: string; created_at: string };
}

export function triggerCommand(): Command {
  return new Command('trigger')
    .summary('Make users of the sandbox cause an event')
    .description('Make users of the sandbox cause an event, which streams and webhooks report')
    .addArgument(new Argument('<type>', 'type of the event').choices([...activities, ...messages]))
    .requiredOption('--to <userName>', 'the account that the event is about, or that gets the message')
    .option('--from <userName>', 'the user who acts; any user if left out, and grace or ada for messages')
    .option('--count <number>', 'the number of events; not for messages')
    .option('--text <text>', 'the text of a reply, quote, mention, message or edit')
    .option('--tweet <id>', 'the tweet of the account; its latest one if left out')
    .option('--message <seq_id>', 'the message to edit, delete or react to; the last one if left out')
    .option('--emoji <emoji>', 'the emoji of a reaction')
    .option('--json', 'print the response of the sandbox')
    .addHelpText(
      'after',
      '\nThe sandbox is that of POSTERN_SANDBOX_URL, or of demo.json in DATA_DIR. Its events are real and free of charge.',
    )
    .action(async (type: string, options: TriggerOptions) => {
      const isMessage = (messages as readonly string[]).includes(type);
      const rows = isMessage ? await sendMessage(type, options) : await causeEvents(type, options);
      print(
        options.json,
        rows.response,
        table(
          rows.header,
          rows.rows.map((row) => row.map(printable)),
        ),
      );
    });
}

async function causeEvents(type: string, { to, from, count, text, tweet }: TriggerOptions) {
  if (count !== undefined && !/^\d{1,4}$/.test(count))
    throw new CliError(`--count must be a whole number, not "${count}"`);
  const body = {
    type,
    userName: to,
    actor: from,
    text,
    tweetId: tweet,
    count: count === undefined ? 1 : Number(count),
  };
  const response = (await control('/control/events', body)) as ActivityResponse;
  const rows = response.events.map((event) => [
    ...[event.created_at, event.type, event.actor.screen_name],
    event.tweet?.id ?? '',
  ]);
  return { response, header: ['TIME', 'TYPE', 'BY', 'TWEET'], rows };
}

async function sendMessage(kind: string, { to, from, count, text, message, emoji }: TriggerOptions) {
  if (count !== undefined) throw new CliError('--count is not for messages');
  const sender = from ?? (to === 'grace' ? 'ada' : 'grace');
  const body = { kind, from: sender, to, text, seq_id: message, emoji };
  const response = (await control('/control/messages', body)) as MessageResponse;
  const { conversation_id: conversation, event } = response;
  const rows = [[event.created_at, kind, sender, conversation, event.id]];
  return { response, header: ['TIME', 'TYPE', 'BY', 'CONVERSATION', 'SEQ ID'], rows };
}

const failures: Readonly<Record<number, Failure>> = {
  400: 'usage',
  403: 'conflict',
  404: 'not_found',
  409: 'conflict',
};

/** Sends a request to the control API of the sandbox. Throws `CliError` if the sandbox refuses it. */
async function control(path: string, body: Record<string, unknown>): Promise<unknown> {
  const origin = process.env['POSTERN_SANDBOX_URL'] || readDemo().sandboxUrl;
  const url = parseUrl(path, origin);
  if (!url) throw new CliError(`POSTERN_SANDBOX_URL is not a URL: ${origin}`);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, init).catch(() => {
    throw new CliError(`no sandbox responds at ${origin}: start it with \`${commandName} serve\``, 'unavailable');
  });
  const result = (await response.json().catch(() => ({}))) as { detail?: string; errors?: { message: string }[] };
  if (response.ok) return result;
  const message =
    result.errors?.[0]?.message ?? result.detail ?? `the sandbox responded with status ${response.status}`;
  throw new CliError(printable(message), failures[response.status] ?? 'unavailable');
}
