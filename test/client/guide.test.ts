import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type ErrorCode, errorTable } from '../../src/client/error-table.ts';
import { responseError } from '../../src/client/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useService } from '../support/use-service.ts';

const { service, sandbox } = await useService();
const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs', 'clients.md'), 'utf8');
/** The examples of the guide, which continue each other. */
const program = [...guide.matchAll(/^```js\n(.+?)^```/gms)].map(([, example]) => `{\n${example}}`);
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

test('the program of docs/clients.md has the right types and runs', async () => {
  const folder = temporaryFolder(onTestFinished);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules', 'postern'));
  symlinkSync(join(root, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
  const [first = '', ...others] = program;
  const text = [first.slice(2, -1), ...others, "console.log('end of the guide');\n"].join('');
  writeFileSync(join(folder, 'program.mjs'), text);
  const checks = { noEmit: true, allowJs: true, checkJs: true, strict: true };
  const compilerOptions = { ...checks, module: 'nodenext', target: 'es2022', types: ['node'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.mjs'] }));
  execFileSync(process.execPath, [compiler, '-p', folder], { stdio: ['ignore', 2, 2] });
  const { baseUrl, apiKey, accounts } = service.demo;
  const [ada] = accounts;
  const env = {
    ...process.env,
    POSTERN_URL: baseUrl,
    POSTERN_API_KEY: apiKey,
    POSTERN_AUTH_TOKEN: ada.authToken,
    POSTERN_ENCRYPTION_CODE: ada.encryptionCode,
  };
  const mentions = setInterval(() => void sandbox.makeEvents({ type: 'mention', userName: 'ada' }), 500);
  onTestFinished(() => clearInterval(mentions));
  const printed = await new Promise<string>((resolve, reject) =>
    execFile(process.execPath, ['program.mjs'], { cwd: folder, env }, (error, output, errors) =>
      error ? reject(new Error(`${errors}\n${output}`)) : resolve(output),
    ),
  );
  expect(printed).toMatch(/^5 true\nada 0\.001 9\.9\d+ \S+\nnot_found 404 /);
  expect(printed).toMatch(/end of the guide\n$/);
});

test.each(Object.keys(errorTable))('docs/clients.md lists the class of %s', (code) => {
  const { name } = responseError(code, '', {});
  const row = guide.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
  expect(row).toContain(`\`${code satisfies string as ErrorCode}\``);
});
