import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { actions } from '../../src/actions/registry.ts';
import { postern } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const script = fileURLToPath(new URL('../../scripts/postern.js', import.meta.url));

const folder = temporaryFolder();
mkdirSync(join(folder, 'bin'));
mkdirSync(join(folder, 'data'));
symlinkSync(script, join(folder, 'bin', 'postern'));
const accounts = ['ada', 'grace', '$(touch made)', '\u001b[2J'].map((userName) => ({ userName }));
writeFileSync(join(folder, 'data', 'demo.json'), JSON.stringify({ accounts }));
const path = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
writeFileSync(join(folder, 'postern.bash'), execFileSync(process.execPath, [script, 'completion', 'bash']));
const env = { PATH: path, DATA_DIR: join(folder, 'data'), XDG_CONFIG_HOME: folder };

/** Returns what a shell would write, and whether it would add a space. */
function inBash(line: string): string[] {
  const program = `
    source "$2"
    compopt() { echo "compopt $*"; }
    COMP_LINE="$1" COMP_POINT=\${#1}
    $(complete -p postern | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const args = ['--norc', '-c', program, 'bash', line, join(folder, 'postern.bash')];
  const out = execFileSync('bash', args, { env, encoding: 'utf8' });
  return out.split('\n').filter((each) => each !== '');
}

describe('completion in bash', () => {
  test.each<[string, string[]]>([
    ['postern account list --j', ['--json']],
    ['postern call tweet/advanced_search q=x pro', ['compopt -o nospace', 'product=']],
    ['postern call tweet/advanced_search product=L', ['Latest']],
    ['postern call --as ', ['ada', 'grace']],
    ['postern webhook create http://localhost/x events=tweet.like,user', ['tweet.like,user.follow']],
  ])('of %j', (line, expected) => {
    expect(inBash(line)).toEqual(expected);
  });
});

test.each<[string, string[]]>([
  ['acc', ['account']],
  ['account re', ['rename']],
  ['call user/fol', ['user/followers', 'user/following', 'user/followers_you_know', 'user/follow']],
  ['call tweet/advanced_search ', ['q=', 'product=', 'count=', 'cursor=']],
  ['call tweet/advanced_search product=', ['product=Latest', 'product=Top']],
  ['trigger like --to g', ['grace']],
  ['trigger reaction_', ['reaction_added', 'reaction_removed']],
  ['webhook res', ['resume', 'resend']],
  ['completion ', ['bash', 'zsh', 'fish']],
  ['call no/such/action q', []],
])('completion of %j', async (line, expected) => {
  const { out } = await postern(['complete', '--', ...line.split(' ')], env);
  expect(out.match(/^[^\t\n]+/gm) ?? []).toEqual(expected);
});

test('completion offers every action, with its summary for shells that show one', async () => {
  const { out } = await postern(['complete', '--', 'call', ''], env);
  expect(out.trim().split('\n')).toEqual(actions.map(({ name, summary }) => `${name}\t${summary}`));
});

test.each(['zsh', 'fish'])('the script for %s calls the same command', async (shell) => {
  expect((await postern(['completion', shell])).out).toContain(' complete -- ');
});

test('completion of another shell is refused', async () => {
  const refused = await postern(['completion', 'tcsh']);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('bash, zsh, fish') });
});
