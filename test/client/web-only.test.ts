import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../support/service.ts';
import { webScenario } from './web-scenario.ts';

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

test('the built client works without the modules and globals of Node', async () => {
  const service = await startService();
  onTestFinished(service.stop);
  const { input, result } = webScenario(service);
  const files = ['./without-node.mjs', '../../dist/client/index.js', './client-scenario.mjs'].map(fileOf);
  const args = ['--experimental-vm-modules', '--no-warnings', ...files, input];
  const printed = await new Promise<string>((resolve, reject) =>
    execFile(process.execPath, args, (error, output, errors) => (error ? reject(new Error(errors)) : resolve(output))),
  );
  expect(JSON.parse(printed)).toEqual(result);
});
