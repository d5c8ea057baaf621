import { expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { sandbox, ada } = await useService();

interface Card {
  userName: string;
  name: string;
  description: string;
}

const search = async (q: string, count = '100') => {
  const answer = await ada.get('/user/search', { q, count });
  expect(answer.status, answer.body.error ?? '').toBe(200);
  return answer.body.data as { query: string; user_count: number; users: Card[] };
};

test.each(['grace', 'GRACE', '@grace', ' grace '])('the user with the screen name comes first: %s', async (q) => {
  const page = await search(q);
  expect(page).toMatchObject({ query: q, user_count: page.users.length, has_more: false, next_cursor: null });
  expect(page.users[0]).toMatchObject({ type: 'user', userName: 'grace' });
});

test('every word begins a word of the user; matches of the name come before those of the description', async () => {
  const { users } = await search('ma');
  expect(users.length).toBeGreaterThan(2);
  const inName = users.map(({ userName, name }) => /(^|[^\p{L}\p{M}\p{N}_'’])ma/iu.test(`${userName} ${name}`));
  for (const [i, user] of users.entries()) {
    expect(inName[i] || /(^|[^\p{L}\p{M}\p{N}_'’])ma/iu.test(user.description), JSON.stringify(user)).toBe(true);
  }
  expect(inName).toEqual([...inName].sort((a, b) => Number(b) - Number(a)));
  const both = await search('ma zzzz');
  expect(both).toMatchObject({ user_count: 0, users: [] });
});

test('a newcomer is found, a suspended or deleted user is not', async () => {
  const { userName } = await sandbox.mint();
  expect((await search(userName)).users[0]).toMatchObject({ userName });
  for (const gone of ['quickgains', 'oldlantern']) {
    expect((await search(gone)).users.filter((user) => user.userName === gone)).toEqual([]);
  }
});

test('q is checked, and a cursor holds for its q only', async () => {
  expectRefusal(await ada.get('/user/search', {}), 400, 'Missing required field: q');
  expectRefusal(await ada.get('/user/search', { q: ' ' }), 400);
  expectRefusal(await ada.get('/user/search', { q: 'x'.repeat(513) }), 400);
  const nothing = await ada.get('/user/search', { q: '"-"' });
  expect(nothing.body.error).toMatch(/^Malformed field: q: /);
  expect(nothing.status).toBe(400);
  const cursor = String((await ada.get('/user/search', { q: 'coffee', count: '1' })).body.data['next_cursor']);
  expectRefusal(await ada.get('/user/search', { q: 'books', cursor }), 400);
});
