import { describe, expect, test } from 'vitest';
import { postern } from '../support/command.ts';
import { useService } from '../support/use-service.ts';

/** Sets the title, clears the screen and moves the cursor: with ESC, with the control characters above U+007F, and by text direction. */
const hostile = 'Key\u001b]0;owned\u0007\u001b[2J\u009b31m\u009d0;owned\u009c\u007f\u202edne';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not be printed
const raw = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

const { service, newCaller } = await useService();
const { id: account, key, client } = await newCaller();
const { status, body } = await client.post('/account/keys', { name: hostile });
expect(status, body.error ?? '').toBe(200);
const env = { DATA_DIR: service.dataDir, POSTERN_URL: service.demo.baseUrl, POSTERN_API_KEY: key };

describe('a name that a caller has chosen sends no commands to the terminal of', () => {
  test.each([
    ['the operator', ['key', 'list']],
    ['the operator, with --json', ['key', 'list', '--json']],
    ['the operator who looks at the account', ['account', 'show']],
    ['the operator who exports the account', ['account', 'export']],
    ['a caller', ['call', 'account/keys']],
    ['a caller, with --json', ['call', 'account/keys', '--json']],
    ['a caller who reads the audit log', ['call', 'account/audit']],
  ])('%s', async (_name, words) => {
    const ofAccount = words[1] === 'show' || words[1] === 'export';
    const { code, out, err } = await postern([...words, ...(ofAccount ? [account] : [])], env);
    expect([code, raw.exec(err)]).toEqual([0, null]);
    expect(raw.exec(out)).toBeNull();
    expect(out).toContain('Key');
    if (!words.includes('--json')) return;
    const names = JSON.stringify(JSON.parse(out));
    expect(names).toContain(JSON.stringify(hostile).slice(1, -1));
  });
});
