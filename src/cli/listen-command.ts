import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Demo } from '../api/demo/demo.ts';
import { readConfig } from '../shared/config/config.ts';
import { listen } from './listen.ts';
import { CliError } from './print.ts';

interface Options {
  forwardTo?: string;
  types?: string;
  as?: string;
  url?: string;
}

const environment = `
Credentials come from the environment, so that they do not get into the history of the shell:
  POSTERN_API_KEY         API key; the demo key if left out
  POSTERN_AUTH_TOKEN      auth_token of the actor; a demo account if left out
  POSTERN_ENCRYPTION_CODE opens direct messages; that of the demo account if left out
  POSTERN_WEBHOOK_SECRET  signs forwarded events; if left out, a secret is made and printed
`;

export function listenCommand(): Command {
  return new Command('listen')
    .description('Print events as they happen, and forward them to a local program')
    .option('--forward-to <url>', 'POST each event to this address, signed like a delivery')
    .option('--types <types>', 'types of events, separated by commas, such as tweet.like,user.follow')
    .option('--as <userName>', 'act as this demo account', 'ada')
    .option('--url <url>', 'address of the API, with /v1; the service of DATA_DIR if left out')
    .addHelpText('after', environment)
    .action(async (options: Options) => {
      const { POSTERN_API_KEY: key, POSTERN_AUTH_TOKEN: token } = process.env;
      const { POSTERN_ENCRYPTION_CODE: code, POSTERN_WEBHOOK_SECRET: given } = process.env;
      const demo = key && token && options.url ? null : readDemo();
      const account = demo?.accounts.find(({ userName }) => userName === options.as);
      if (!token && !account) throw new CliError(`no demo account is called ${options.as}`);
      const secret = given || randomBytes(24).toString('base64url');
      const warn = (line: string) => void process.stderr.write(`postern: ${line}\n`);
      const actor = token ? 'the actor of POSTERN_AUTH_TOKEN' : options.as;
      const forward =
        options.forwardTo === undefined ? null : { url: readUrl('--forward-to', options.forwardTo), secret };
      const baseUrl = options.url === undefined ? (demo?.baseUrl ?? '') : readUrl('--url', options.url);
      if (forward && !given) warn(`forwarded events are signed with the secret ${secret}`);
      await listen({
        baseUrl,
        apiKey: key || (demo?.apiKey ?? ''),
        authToken: token || (account?.authToken ?? ''),
        encryptionCode: code || (token ? null : (account?.encryptionCode ?? null)),
        types: options.types ?? null,
        forward,
        opened: () => warn(`listening as ${actor}; stop with Ctrl-C`),
        say: (line) => void process.stdout.write(`${line}\n`),
        warn,
      });
    });
}

function readDemo(): Demo {
  const path = join(readConfig(process.env).dataDir, 'demo.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Demo;
  } catch {
    throw new CliError(
      `${path} does not exist: start the service in this folder (npm start), or set POSTERN_API_KEY and POSTERN_AUTH_TOKEN and give --url`,
    );
  }
}

function readUrl(option: string, text: string): string {
  if (URL.canParse(text) && /^https?:/i.test(text)) return text;
  throw new CliError(`${option} takes an http or https address, not ${text}`);
}
