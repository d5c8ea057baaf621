import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { useService } from '../support/use-service.ts';

const examples = fileURLToPath(new URL('../../docs/examples/graphql/', import.meta.url));
const dataDir = temporaryFolder();
await useService({ DATA_DIR: dataDir });

/** Runs an example and returns the lines that it prints. */
function run(name: string, ...args: string[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], DATA_DIR: dataDir };
    execFile(process.execPath, [join(examples, name), ...args], { env }, (error, out, err) =>
      error ? reject(new Error(`${name} failed: ${err}`)) : resolve(out.trimEnd().split('\n')),
    );
  });
}

test('timeline: a user, their tweets and the authors of these', async () => {
  const [user, ...tweets] = await run('timeline.js', 'grace', '7');
  expect(user).toMatch(/^@grace, \d+ followers$/);
  expect(tweets).toHaveLength(7);
  for (const tweet of tweets) expect(tweet).toMatch(/^ *\d+ likes {2}.+ {2}\(@\w+, on \d+ lists\)$/);
});

describe('post-once', () => {
  test('a tweet is posted, and the same key answers with it again, free of charge', async () => {
    const key = 'examples-test';
    const [posted] = await run('post-once.js', 'Posted by an example', key);
    const id = /^tweet (\d+) /.exec(posted ?? '')?.[1];
    expect(posted).toBe(`tweet ${id} is posted, for $0.001; key ${key}`);
    expect(await run('post-once.js', 'Posted by an example', key)).toEqual([
      `tweet ${id} was posted before, for $0; key ${key}`,
    ]);
  });

  test('what the platform refuses for good is not sent again', async () => {
    await run('post-once.js', 'Said only once');
    await expect(run('post-once.js', 'Said only once')).rejects.toThrow('Status is a duplicate.');
  });
});

describe('walk-followers', () => {
  const names = (lines: readonly string[]) => lines.filter((line) => line.startsWith('@'));

  test('every follower once, to the end of the list', async () => {
    const lines = await run('walk-followers.js', 'grace', '1');
    const found = names(lines);
    expect(new Set(found).size).toBe(found.length);
    expect(found.length).toBeGreaterThan(100);
    expect(lines.at(-1)).toMatch(new RegExp(`^${found.length} followers: that is all of them; `));
  });

  test('no page that the budget does not cover', async () => {
    const lines = await run('walk-followers.js', 'grace', '0.005', '10');
    expect(names(lines)).toHaveLength(20);
    expect(lines.at(-1)).toBe('20 followers: the budget is spent; $0.001 of $0.005 left');
  });
});
