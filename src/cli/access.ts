import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Demo } from '../api/demo/demo.ts';
import { commandName } from '../shared/config/command-name.ts';
import { readConfig } from '../shared/config/config.ts';
import { CliError } from './print.ts';

/** The address of a gateway and the credentials for its calls. */
export interface Access {
  /** The base URL, with `/v1`. */
  baseUrl: string;
  apiKey: string;
  authToken: string | null;
  encryptionCode: string | null;
  /** Describes the platform account that calls act as, for messages. */
  actor: string;
  /** True if the credentials are defaults, so the user has not chosen them for this command. */
  isImplied: boolean;
}

export interface AccessOptions {
  /** The demo account to act as. */
  as?: string | undefined;
  /** The base URL to use instead of the configured one. */
  url?: string | undefined;
}

export const accessHelp = `
Address and credentials come from the first of these:
  the environment                POSTERN_URL (with /v1), POSTERN_API_KEY, POSTERN_AUTH_TOKEN, POSTERN_ENCRYPTION_CODE
  the sandbox in this folder     the demo account ada of demo.json in DATA_DIR; --as names another one
`;

/** Returns the access that the options, the environment and the sandbox's `demo.json` define, in this order. */
export function readAccess({ as, url }: AccessOptions): Access {
  const env = process.env;
  const { POSTERN_API_KEY: key } = env;
  if (env['POSTERN_URL'] && !key) throw new CliError('POSTERN_URL is set, so POSTERN_API_KEY must be set too');
  const baseUrl = url || env['POSTERN_URL'];
  if (baseUrl && !/^https?:/i.test(baseUrl))
    throw new CliError('POSTERN_URL must be an http or https address with /v1, such as http://127.0.0.1:4000/v1');
  const access = baseUrl && key && as === undefined ? nobody : ofDemo(key || undefined, as);
  const { POSTERN_AUTH_TOKEN: token, POSTERN_ENCRYPTION_CODE: code } = as === undefined ? env : {};
  return {
    isImplied: access.isImplied,
    baseUrl: baseUrl || access.baseUrl,
    apiKey: key || access.apiKey,
    authToken: token || access.authToken,
    // The code of another account would not open the messages of this actor.
    encryptionCode: code || (token ? null : access.encryptionCode),
    actor: token ? 'the actor of POSTERN_AUTH_TOKEN' : access.actor,
  };
}

const nobody: Access = {
  baseUrl: '',
  apiKey: '',
  authToken: null,
  encryptionCode: null,
  actor: 'nobody',
  isImplied: false,
};

function ofDemo(key: string | undefined, as = 'ada'): Access {
  const demo = readDemo();
  const account = demo.accounts.find(({ userName }) => userName === as);
  if (!account) {
    const names = demo.accounts.map(({ userName }) => userName).join(', ');
    throw new CliError(`no demo account is called ${as}. There are ${names}`, 'not_found');
  }
  const { encryptionCode } = account;
  const { baseUrl, apiKey } = demo;
  // The connections belong to the account of the demo key. Other keys need the token.
  const authToken =
    (key === undefined || key === apiKey) && account.connection ? account.connection : account.authToken;
  return { baseUrl, apiKey, authToken, encryptionCode, actor: `the demo account ${as}`, isImplied: true };
}

/** Reads the demo credentials of the sandbox whose data is in DATA_DIR. */
export function readDemo(): Demo {
  const path = join(readConfig(process.env).demoDir, 'demo.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new CliError(
      `there are no credentials: set POSTERN_URL and POSTERN_API_KEY, or start the sandbox in ` +
        `this folder (\`${commandName} serve\`), which writes ${path}`,
    );
  }
  return JSON.parse(text) as Demo;
}
