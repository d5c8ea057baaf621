import { describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, ada, grace } = await useService();

const path = '/tweet/advanced_search';
const query = { q: 'from:grace', count: '3' };

async function firstCursor(client = ada): Promise<string> {
  const answer = await client.get(path, query);
  expect(answer.status).toBe(200);
  return String(answer.body.data['next_cursor']);
}

const ids = (data: Record<string, unknown>) => (data['tweets'] as { id: string }[]).map(({ id }) => id);

describe('a cursor goes on with its list', () => {
  test('and gives the same page again, with another count too', async () => {
    const cursor = await firstCursor();
    const page = ids((await ada.get(path, { ...query, cursor })).body.data);
    expect(page).toHaveLength(3);
    expect(ids((await ada.get(path, { ...query, cursor })).body.data)).toEqual(page);
    expect(ids((await ada.get(path, { ...query, count: '5', cursor })).body.data).slice(0, 3)).toEqual(page);
    expect(ids((await ada.get(path, { q: 'from:grace', cursor })).body.data)).toHaveLength(20);
  });

  test('for the same actor of another API account', async () => {
    const cursor = await firstCursor();
    const other = ada.with({ key: (await service.makeAccount('1')).key });
    expect((await other.get(path, { ...query, cursor })).status).toBe(200);
  });

  test('when the token moves from the query into the header', async () => {
    const cursor = await firstCursor();
    const headers = { 'x-auth-token': ada.options.authToken ?? '' };
    expect((await ada.with({ authToken: '' }).get(path, { ...query, cursor }, headers)).status).toBe(200);
  });

  test('with an explicit default value', async () => {
    const cursor = await firstCursor();
    expect((await ada.get(path, { ...query, product: 'Latest', cursor })).status).toBe(200);
  });
});

describe('the list of one user', () => {
  const graceId = () => service.demo.accounts[1].userId;

  test.each(['/user/followers', '/user/following', '/user/tweets_and_replies'])(
    'goes on by name, by the name in another case, with an @, and by id: %s',
    async (list) => {
      const first = await ada.get(list, { userName: 'grace', count: '2' });
      const cursor = String(first.body.data['next_cursor']);
      const pages = await Promise.all(
        [{ userName: 'grace' }, { userName: 'GRACE' }, { userName: '@Grace' }, { userId: graceId() }].map((user) =>
          ada.get(list, { ...user, count: '2', cursor } as Record<string, string>),
        ),
      );
      for (const { status, body } of pages) {
        expect(status).toBe(200);
        expect(body.data).toEqual(pages[0]?.body.data);
      }
    },
  );

  test('goes on in a POST too', async () => {
    const path = '/user/followers_you_know';
    const first = await ada.post(path, { user_id: graceId(), count: 1 });
    const cursor = first.body.data['next_cursor'];
    expect(cursor).toEqual(expect.any(String));
    expect((await ada.post(path, { user_name: 'GRACE', count: 1, cursor })).status).toBe(200);
    expectRefusal(await ada.post(path, { user_name: 'ada', count: 1, cursor }), 400, /^Malformed field: cursor: /);
  });

  test('is not the list of another user', async () => {
    const first = await ada.get('/user/followers', { userName: 'grace', count: '2' });
    const cursor = String(first.body.data['next_cursor']);
    for (const user of [{ userName: 'ada' }, { userId: service.demo.accounts[0].userId }]) {
      expectRefusal(await ada.get('/user/followers', { ...user, cursor }), 400, /^Malformed field: cursor: /);
    }
  });

  test('belongs to the id if both are given', async () => {
    const { data } = (await ada.get('/user/followers', { userName: 'grace', count: '2' })).body;
    const cursor = String(data['next_cursor']);
    expect((await ada.get('/user/followers', { userName: 'ada', userId: graceId(), cursor })).status).toBe(200);
  });
});

describe('a cursor is refused for nothing', () => {
  const error = /^Malformed field: cursor: is not a next_cursor of this list/;

  async function refuse(client: Client, where: string, input: Record<string, string>): Promise<void> {
    const before = await restingBalance(client);
    expectRefusal(await client.get(where, input), 400, error);
    expect(await restingBalance(client)).toBe(before);
  }

  test('for another query, order, actor or action', async () => {
    const cursor = await firstCursor();
    await refuse(ada, path, { ...query, q: 'from:ada', cursor });
    await refuse(ada, path, { ...query, product: 'Top', cursor });
    await refuse(grace, path, { ...query, cursor });
    await refuse(ada, '/account/payments', { cursor });
  });

  test('of the payments of another account', async () => {
    const first = await service.makeAccount('1');
    await service.credit(first.id, '2');
    const owner = ada.with({ key: first.key });
    const page = await owner.get('/account/payments', { count: '1' });
    const cursor = String(page.body.data['next_cursor']);
    expect((await owner.get('/account/payments', { count: '1', cursor })).status).toBe(200);
    await refuse(ada, '/account/payments', { count: '1', cursor });
  });

  test('that was altered in any place', async () => {
    const cursor = await firstCursor();
    for (let i = 0; i < cursor.length; i += 3) {
      const altered = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1);
      expectRefusal(await ada.get(path, { ...query, cursor: altered }), 400, error);
    }
  });

  test('that was made up, cut, padded or spelled otherwise', async () => {
    const cursor = await firstCursor();
    const bytes = Buffer.from(cursor, 'base64url');
    for (const forged of [
      'x',
      'null',
      'undefined',
      '0',
      cursor.slice(0, -4),
      cursor.slice(4),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      `${cursor}\n`,
      cursor + cursor,
      bytes.toString('hex'),
      bytes.subarray(16).toString('base64url'),
      Buffer.alloc(64).toString('base64url'),
      '../../../etc/passwd',
    ]) {
      expectRefusal(await ada.get(path, { ...query, cursor: forged }), 400, error);
    }
  });
});
