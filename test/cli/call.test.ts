import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { actions } from '../../src/actions/registry.ts';
import { examplePng } from '../../src/media/media-input.ts';
import { postern } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hasTerminal, inTerminal } from '../support/terminal.ts';
import { useService } from '../support/use-service.ts';

const { service, sandbox } = await useService();
const folder = temporaryFolder();
const env = { DATA_DIR: service.dataDir };

const call = (...args: string[]) => postern(['call', ...args], env);

async function json(...args: string[]) {
  const { code, out, err } = await call(...args, '--json');
  expect([code, err]).toEqual([0, expect.stringContaining('as the demo account')]);
  return JSON.parse(out);
}

describe('postern call', () => {
  test('prints a page as a table, with the cost and the command of the next page on standard error', async () => {
    const { code, out, err } = await call('tweet/advanced_search', 'q=from:ada filter:links', 'count=1');
    expect(code).toBe(0);
    expect(out).toMatch(/^ID +CREATED AT +USER NAME +LIKE COUNT +TEXT\n\d+ +\S.* ada +\d+ +\S.*\n$/);
    expect(err).toMatch(
      /^Calling http:\S+\/v1 as the demo account ada\nCharged 0\.001 dollars\. \S+ dollars are left\n/,
    );
    const next =
      /^Next page: postern call tweet\/advanced_search 'q=from:ada filter:links' count=1 (cursor=\S+)$/m.exec(err);
    const second = await call('tweet/advanced_search', 'q=from:ada filter:links', 'count=1', next?.[1] ?? '');
    expect(second.code).toBe(0);
    expect(second.out).not.toBe(out);
  });

  test('prints one object with a line for each field, and JSON as the API returns it', async () => {
    expect((await call('user/info', 'userName=grace')).out).toMatch(/^name +Grace Hollis$/m);
    expect(await json('user/info', 'userName=grace')).toMatchObject({ name: 'Grace Hollis', canDm: true });
    expect(await json('user/me', '--as', 'grace')).toMatchObject({ userName: 'grace' });
  });

  test('reads as many pages as it must, and each item once', async () => {
    await sandbox.addFollowers('grace', 400);
    const limited = await call('user/followers', 'userName=grace', 'count=20', '--limit', '50', '--json');
    const lines = limited.out.trim().split('\n');
    expect(new Set(lines.map((line) => JSON.parse(line).userName)).size).toBe(50);
    expect(limited.err).toContain('Charged 0.003 dollars');
    const all = await call('user/followers', 'userName=grace', '--all');
    const { followers } = (await json('user/info', 'userName=grace')) as { followers: number };
    expect(all.err).toContain(`Charged 0.00${Math.ceil(followers / 100)} dollars`);
    expect(all.out.trim().split('\n').slice(1)).toHaveLength(followers);
  });

  test('sends numbers, booleans, lists and files as the action needs them', async () => {
    const picture = join(folder, 'picture.png');
    writeFileSync(picture, Buffer.from(examplePng, 'base64'));
    const { media_id: id, media_type: type } = await json('media/upload', `media_data=@${picture}`);
    expect(type).toBe('image/png');
    const media = [`media_ids=${id}`, 'media_alt_texts=A pixel, and no more'];
    const tweet = await json('tweet/create', 'text=@ada From the command line', ...media);
    expect(tweet).toMatchObject({ text: expect.stringContaining('@ada From the command line') });
    const text = join(folder, 'article.md');
    writeFileSync(text, '# Looms\n\nThey remember.');
    const article = await json('article/create', 'title=Looms', `content@${text}`, 'publish=true');
    expect(article).toMatchObject({ status: 'published' });
    expect(await json('account/update', 'low_credit_threshold=1.5')).toMatchObject({ low_credit_threshold: '1.5' });
    expect(await json('account/update', 'low_credit_threshold=null')).toMatchObject({ low_credit_threshold: null });
  });

  test('performs a write with the same key once', async () => {
    const args = ['tweet/create', 'text=Only once', '--idempotency-key', 'cli-test'];
    const first = await json(...args);
    const again = await call(...args, '--json');
    expect(JSON.parse(again.out)).toEqual(first);
    expect(again.err).toContain('performed before');
  });

  test('opens messages with the code of the demo account', async () => {
    const conversation = (await json('dm/list', 'count=1')).conversations[0].conversation_id as string;
    const { out } = await call('dm/messages', `conversation_id=${conversation}`, 'count=2');
    expect(out).toMatch(/^SEQ ID +CREATED AT +SENDER ID +TEXT\n\d+ /);
  });

  test.each<[number, RegExp, string[]]>([
    [2, /no action tweet\/serch\. Did you mean tweet\/advanced_search/, ['tweet/serch']],
    [2, /no field username\. Did you mean userName\?/, ['user/info', 'username=ada']],
    [2, /"ada" must be name=value/, ['user/info', 'ada']],
    [2, /count must be a number, not "many"/, ['user/followers', 'count=many']],
    [2, /publish must be true or false/, ['article/create', 'publish=yes']],
    [2, /userName is given twice/, ['user/info', 'userName=a', 'userName=b']],
    [2, /auth_token is not a field/, ['user/me', 'auth_token=secret']],
    [2, /^.{0,200}\n$/, ['user/followers', `count@${fileURLToPath(import.meta.url)}`]],
    [2, /media_data: ENOENT/, ['media/upload', 'media_data@missing.png']],
    [2, /returns no pages: leave out --all/, ['user/me', '--all']],
    [2, /--limit must be a whole number/, ['user/followers', '--limit', 'x']],
    [2, /Missing required field: q \(request .*postern call tweet\/advanced_search --help/, ['tweet/advanced_search']],
    [2, /events is a stream: `postern listen`/, ['events']],
    [5, /User not found: nobody_at_all \(request \S+\)$/m, ['user/info', 'userName=nobody_at_all']],
    [5, /no demo account is called nobody/, ['user/me', '--as', 'nobody']],
  ])('ends with %d: %s', async (expected, message, args) => {
    const { code, out, err } = await call(...args);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([expected, '']);
  });

  test('ends with the code of the class of an error of the platform or the credit', async () => {
    const poor = await service.makeAccount('0');
    const own = { ...env, POSTERN_URL: service.demo.baseUrl, POSTERN_API_KEY: poor.key, POSTERN_AUTH_TOKEN: 'nobody' };
    expect(await postern(['call', 'user/me'], own)).toMatchObject({ code: 4, out: '' });
    const rich = await service.makeAccount('1');
    const rejected = await postern(['call', 'user/me'], { ...own, POSTERN_API_KEY: rich.key });
    expect(rejected).toMatchObject({ code: 3, out: '' });
    expect((await postern(['call', 'account'], { ...own, POSTERN_API_KEY: 'pstn_wrong' })).code).toBe(3);
    const closed = await postern(['call', 'account'], { ...own, POSTERN_URL: 'http://127.0.0.1:9/v1' });
    expect(closed.code).toBe(7);
    expect(closed.err).toContain('Is a gateway running at http://127.0.0.1:9/v1?');
  });

  test('names the key with which a write of unknown outcome can be repeated', async () => {
    // The client sends it three times.
    await service.addFault({ kind: 'status', status: 503 }, { operation: 'createPosts', times: 3 });
    const failed = await call('tweet/create', 'text=Once');
    expect([failed.code, failed.out]).toEqual([7, '']);
    expect(failed.err).toContain('--idempotency-key');
    const [, key = ''] = /repeat it with --idempotency-key (\S+?)(?:\.|$)/m.exec(failed.err) ?? [];
    expect(await json('tweet/create', 'text=Once', '--idempotency-key', key)).toMatchObject({ text: 'Once' });
  });

  test('without credentials says where they can come from', async () => {
    const { code, err } = await postern(['call', 'user/me'], { DATA_DIR: folder });
    expect(code).toBe(2);
    expect(err).toMatch(/no credentials: set POSTERN_URL.*postern.js serve/);
    const half = await postern(['call', 'user/me'], { ...env, POSTERN_URL: 'http://127.0.0.1:9/v1' });
    expect(half.err).toContain('POSTERN_API_KEY must be set too');
  });

  test('--help lists all actions, and describes each', async () => {
    const { out } = await call('--help');
    for (const { name, summary } of actions)
      expect(out).toMatch(new RegExp(`^  ${name} +${summary.slice(0, 20)}`, 'm'));
    expect((await call()).out).toBe(out);
    const create = (await call('tweet/create', '--help')).out;
    expect(create).toMatch(/Costs 0\.001 dollars if\s+it succeeds/);
    expect(create).toMatch(/^ {2}media_ids +list +Ids of uploaded media/m);
    expect(create).toContain("postern call tweet/create text='The ferry is late, and nobody minds.'");
    expect((await call('tweet/advanced_search', '--help')).out).toMatch(
      /q +text +Required\.[\s\S]*Latest\|Top[\s\S]*Default: Latest/,
    );
  });

  test.skipIf(!hasTerminal)('fits the lines to a terminal and colours the header, unless NO_COLOR is set', async () => {
    const args = ['call', 'tweet/advanced_search', 'q=from:ada', 'count=3', '--limit', '3'];
    const coloured = await inTerminal(args, env, { columns: 60 });
    expect(coloured).toContain('\u001b[1mID ');
    const plain = await inTerminal(args, { ...env, NO_COLOR: '1' }, { columns: 60 });
    expect(plain).not.toContain('\u001b[');
    const rows = plain.split('\r\n').filter((line) => /^\d{10}/.test(line));
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row).toMatch(/^.{1,59}…$/u);
  });
});

test.each([
  [['profile', 'add', 'own', '--json']],
  [['call', 'account', '--profile', 'own']],
  [['mcp', '--profile', 'own']],
])('postern %j: says that profiles were removed', async (args) => {
  expect(await postern(args, env)).toMatchObject({ code: 2, err: expect.stringContaining('profiles were removed') });
});
