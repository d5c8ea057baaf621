import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Demo, writeDemoFiles } from '../../src/api/demo/demo.ts';
import { startAtprotoFixture } from '../platform/atproto/world.ts';
import { atprotoMissing } from '../support/atproto-network.ts';
import { isAll } from '../support/repetitions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useService } from '../support/use-service.ts';

const { service } = await useService();
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The commands of the tour by the words that introduce them. */
const tour = new Map(
  [
    ...readme.matchAll(/^(?:\*\*(.+?)\*\*|Run this in a second shell)[^`]*(?:`[^`]+`[^`]*)*?\n\n?```sh\n(.+?)```/gms),
  ].map(([, name = 'setup', commands = '']) => [name, commands]),
);

/** Runs commands of the tour in a folder with the demo credentials, and returns what they print. `user` replaces grace. */
function run(demo: Demo, names: readonly string[], user: string): Promise<string> {
  const folder = temporaryFolder(onTestFinished);
  mkdirSync(join(folder, 'data'));
  writeDemoFiles(join(folder, 'data'), demo);
  const commands = ['setup', ...names].map((name) => tour.get(name) ?? `echo no commands for ${name}; exit 1`);
  const script = commands.join('\n').replaceAll(/\bgrace\b/g, user);
  return new Promise((resolve, reject) =>
    execFile('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder }, (error, printed, errors) =>
      error ? reject(new Error(`${errors}\n${printed}`)) : resolve(printed),
    ),
  );
}

async function expectTour(demo: Demo, user: string): Promise<void> {
  const page = await run(demo, ['Read a page of tweets.'], user);
  expect(page).toMatch(/^HTTP\/1.1 200 OK/);
  expect(page).toMatch(/x-credits-charged: 0\.001/i);
  expect(JSON.parse(page.slice(page.indexOf('{'))).data.tweets[0].author.userName).toBe(user);
  const nested = JSON.parse(await run(demo, ['Read nested data in one request'], user));
  expect(nested.data.user.tweets.nodes[0].author.userName).toBe(user);
  expect(nested.extensions.credits.charged).toBe('0.002');
  const likes = (await run(demo, ['Post a tweet and like it twice.'], user)).trim().split('\n');
  expect(likes).toHaveLength(2);
  for (const like of likes) expect(JSON.parse(like)).toMatchObject({ status: true, data: { liked: true } });
}

describe("README's tour", () => {
  test('runs on the sandbox', () => expectTour(service.demo, 'grace'));

  test.runIf(isAll && atprotoMissing() === null)(
    'runs on the AT Protocol, without the extras of the sandbox',
    { retry: 2 },
    async () => {
      const fixture = await startAtprotoFixture();
      onTestFinished(fixture.stop);
      const [ada, grace] = [await fixture.join('ada'), await fixture.join('grace')];
      await grace.client.post('/tweet/create', { text: 'Hello' });
      const { baseUrl, graphqlUrl, payerKey } = fixture.api;
      const isListed = async () => {
        const { body } = await ada.client.get('/tweet/advanced_search', { q: `from:${grace.handle}` });
        return (body.data['tweets'] as unknown[]).length;
      };
      await expect.poll(isListed).toBe(1);
      const actor = {
        userName: ada.handle,
        userId: '',
        encryptionCode: '',
        premium: false,
      };
      const authToken = `${ada.handle}:${ada.password}`;
      const accounts = [{ ...actor, authToken, connection: authToken }];
      const ofSandbox = { sandboxUrl: '', appToken: '', listId: '', organization: '' };
      const demo = { baseUrl, graphqlUrl, apiKey: payerKey, accounts, ...ofSandbox };
      await expectTour(demo, grace.handle);
    },
  );
});
