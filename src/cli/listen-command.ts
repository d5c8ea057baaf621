import { randomBytes } from 'node:crypto';
import { Command } from 'commander';
import { parseUrl } from '../shared/model/parse-url.ts';
import { printable } from '../shared/model/printable.ts';
import { type AccessOptions, accessHelp, readAccess } from './access.ts';
import { listen } from './listen.ts';
import { CliError } from './print.ts';

interface Options extends AccessOptions {
  forwardTo?: string;
  types?: string;
  url?: string;
}

const environment = `${accessHelp}
POSTERN_WEBHOOK_SECRET signs forwarded events; if it is not set, a secret is made and printed.
`;

export function listenCommand(): Command {
  return new Command('listen')
    .summary('Print events as they happen')
    .description('Print events as they happen, and forward them to a local program')
    .option('--forward-to <url>', 'POST each event to this address, signed like a delivery')
    .option('--types <types>', 'types of events, separated by commas, such as tweet.like,user.follow')
    .option('--as <userName>', 'act as this demo account of the sandbox in this folder')
    .option('--url <url>', 'another address of the API, with /v1')
    .addHelpText('after', environment)
    .action(async (options: Options) => {
      const baseUrl = options.url === undefined ? undefined : readUrl('--url', options.url);
      const access = readAccess({ ...options, url: baseUrl });
      if (!access.authToken) throw new CliError('set POSTERN_AUTH_TOKEN, the token of the platform account', 'refused');
      const { POSTERN_WEBHOOK_SECRET: given } = process.env;
      const secret = given || randomBytes(24).toString('base64url');
      const warn = (line: string) => void process.stderr.write(`postern: ${printable(line)}\n`);
      const forward =
        options.forwardTo === undefined ? null : { url: readUrl('--forward-to', options.forwardTo), secret };
      if (forward && !given) warn(`forwarded events are signed with the secret ${secret}`);
      await listen({
        baseUrl: access.baseUrl,
        apiKey: access.apiKey,
        authToken: access.authToken,
        encryptionCode: access.encryptionCode,
        types: options.types ?? null,
        forward,
        opened: () => warn(`listening as ${access.actor}; stop with Ctrl-C`),
        say: (line) => void process.stdout.write(`${line}\n`),
        warn,
      });
    });
}

function readUrl(option: string, text: string): string {
  if (/^https?:/i.test(text) && parseUrl(text)) return text;
  throw new CliError(`${option} must be an http or https URL, not ${text}`);
}
