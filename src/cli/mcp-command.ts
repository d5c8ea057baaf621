import { Command, Option } from 'commander';
import { parseDollars } from '../shared/model/money.ts';
import { parseUrl } from '../shared/model/parse-url.ts';
import { type Access, readAccess } from './access.ts';
import { failures } from './exit-codes.ts';
import { CliError } from './print.ts';

interface Options {
  policy: 'read' | 'write' | 'destructive';
  maxDollars?: string;
}

const help = `
Address and credentials come from the environment:
  POSTERN_URL             address of a running gateway with /v1, such as http://127.0.0.1:4000/v1
  POSTERN_API_KEY         API key, whose account pays
  POSTERN_AUTH_TOKEN      auth_token of the platform account that the tools act as; without it only tools of the API account work
  POSTERN_ENCRYPTION_CODE opens direct messages; without it their tools do not work

Policies: read has the tools that change nothing; write adds posting, liking, following and sending; destructive adds deleting and
overwriting. docs/agents.md has the configuration of agents, such as:
  { "mcpServers": { "postern": { "command": "node", "args": ["--env-file=/path/to/agent.env", "/path/to/postern/scripts/postern.js", "mcp"] } } }
`;

export function mcpCommand(): Command {
  return new Command('mcp')
    .summary('Serve tools for agents (Model Context Protocol)')
    .description('Serve the Model Context Protocol on standard input and output. Agents start this command')
    .addOption(
      new Option('--policy <policy>', 'tools that are listed and can be called')
        .choices(['read', 'write', 'destructive'])
        .default('read'),
    )
    .option('--max-dollars <dollars>', 'what all calls of this process may cost, such as 0.5; no limit if left out')
    .addHelpText('after', help)
    .action(async ({ policy, maxDollars }: Options) => {
      const { baseUrl, apiKey, authToken, encryptionCode } = requireAccess();
      const maxMicros = maxDollars === undefined ? null : readDollars(maxDollars);
      const warn = (line: string) => void process.stderr.write(`postern mcp: ${line}\n`);
      const { serveOnStdio } = await import('../mcp/stdio/serve.ts');
      if (process.stdin.isTTY)
        warn('waiting for messages of an agent on standard input; --help shows how to configure one');
      const credentials = { apiKey, authToken: authToken ?? undefined, encryptionCode: encryptionCode ?? undefined };
      const isEnd = await serveOnStdio({ baseUrl, ...credentials, policy, maxMicros, warn });
      // Kept connections to the gateway would keep the process alive.
      process.exit(isEnd ? 0 : failures.failed.exitCode);
    });
}

/** Returns the credentials that were named for this command. An agent must not spend the credit of others by accident. */
function requireAccess(): Access {
  for (const name of ['POSTERN_URL', 'POSTERN_API_KEY']) {
    if (process.env[name]) continue;
    throw new CliError(`${name} is not set: set POSTERN_URL, such as http://127.0.0.1:4000/v1, and POSTERN_API_KEY`);
  }
  const access = readAccess({});
  const { pathname = '' } = parseUrl(access.baseUrl) ?? {};
  if (/^https?:/i.test(access.baseUrl) && /\/v1\/?$/.test(pathname)) return access;
  throw new CliError(
    'POSTERN_URL must be an http or https address that ends with /v1, such as http://127.0.0.1:4000/v1',
  );
}

function readDollars(text: string): number {
  const micros = parseDollars(text);
  if (micros !== null && micros > 0) return micros;
  throw new CliError('--max-dollars must be more than 0, with up to six decimals, such as 0.5');
}
