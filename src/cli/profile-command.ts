import { Command } from 'commander';
import { CliError, print, table } from './print.ts';
import { findProfile, type Profile, profilesPath, readProfiles, writeProfiles } from './profiles.ts';

export function profileCommand(): Command {
  const profile = new Command('profile')
    .summary('Keep addresses and credentials of gateways')
    .description('Keep the addresses of gateways and credentials for them in a file that only you can read');
  profile
    .command('add')
    .description('Add or replace a profile, and use it if it is the first one')
    .argument('<name>', 'name of the profile')
    .option('--json', 'print { "name": …, "path": … }')
    .addHelpText(
      'after',
      '\nThe values are those of POSTERN_URL (with /v1), POSTERN_API_KEY, POSTERN_AUTH_TOKEN and POSTERN_ENCRYPTION_CODE. On a terminal, the' +
        '\ncommand asks for values that are not set.',
    )
    .action(async (name: string, options: { json?: boolean }) => {
      if (!/^[\w.-]{1,64}$/.test(name))
        throw new CliError('the name must be 1 to 64 letters, digits, dots, hyphens and underscores');
      const added = await readValues();
      const { current, profiles } = readProfiles();
      writeProfiles({ current: current ?? name, profiles: { ...profiles, [name]: added } });
      const next = current === null || current === name ? '' : `\nUse it with \`postern profile use ${name}\``;
      print(options.json, { name, path: profilesPath() }, `Added ${name} to ${profilesPath()}${next}`);
    });
  profile
    .command('list')
    .description('List profiles without their secrets')
    .option('--json', 'print an array')
    .action((options: { json?: boolean }) => {
      const { current, profiles } = readProfiles();
      const shown = Object.entries(profiles).map(([name, { url, apiKey, authToken, encryptionCode }]) => ({
        name,
        in_use: name === current,
        url,
        key: apiKey.slice(0, 11),
        has_auth_token: authToken !== null,
        has_encryption_code: encryptionCode !== null,
      }));
      const yes = (value: boolean) => (value ? 'yes' : '');
      const rows = shown.map((p) => [
        ...[p.name, yes(p.in_use), p.url, p.key],
        ...[yes(p.has_auth_token), yes(p.has_encryption_code)],
      ]);
      print(options.json, shown, table(['NAME', 'IN USE', 'URL', 'KEY', 'AUTH TOKEN', 'CODE'], rows));
    });
  profile
    .command('use')
    .description('Use a profile when no other credentials are given')
    .argument('<name>', 'name of the profile')
    .action((name: string) => {
      const all = readProfiles();
      findProfile(all, name);
      writeProfiles({ ...all, current: name });
      print(false, null, `Commands use ${name} now`);
    });
  profile
    .command('remove')
    .description('Remove a profile')
    .argument('<name>', 'name of the profile')
    .action((name: string) => {
      const all = readProfiles();
      findProfile(all, name);
      const { [name]: _removed, ...profiles } = all.profiles;
      writeProfiles({ current: all.current === name ? null : all.current, profiles });
      print(false, null, `Removed ${name}`);
    });
  return profile;
}

const questions = {
  POSTERN_URL: { text: 'Address of the gateway, with /v1', isSecret: false },
  POSTERN_API_KEY: { text: 'API key', isSecret: true },
  POSTERN_AUTH_TOKEN: { text: 'Token of the platform account (empty for none)', isSecret: true },
  POSTERN_ENCRYPTION_CODE: { text: 'Code that opens its messages (empty for none)', isSecret: true },
};

/** Reads the values of a profile from the environment, and asks for the others on a terminal. */
async function readValues(): Promise<Profile> {
  const missing = Object.entries(questions).filter(([variable]) => !process.env[variable]);
  const answers = new Map<string, string>();
  if (process.stdin.isTTY && missing.length > 0) {
    const { ask } = await import('./ask.ts');
    const given = await ask(missing.map(([, question]) => question));
    for (const [at, [variable]] of missing.entries()) answers.set(variable, given[at] ?? '');
  }
  const read = (variable: keyof typeof questions) => process.env[variable] || answers.get(variable) || null;
  const url = read('POSTERN_URL');
  if (url === null || !isAddress(url)) {
    throw new CliError(
      'POSTERN_URL must be the address of a gateway without credentials and query, such as https://postern.example/v1',
    );
  }
  const apiKey = read('POSTERN_API_KEY');
  if (apiKey === null) throw new CliError('POSTERN_API_KEY is missing');
  const [authToken, encryptionCode] = [read('POSTERN_AUTH_TOKEN'), read('POSTERN_ENCRYPTION_CODE')];
  return { url, apiKey, authToken, encryptionCode };
}

/** The address is shown by `postern profile list`, so it must not contain a password. */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}
