import { expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';

const { service, ada } = await useService();

const ask = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${service.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...ada.headers, ...headers },
    body: JSON.stringify(body),
  });

test('requests that arrive while GraphQL is being loaded are handled, charged and logged like any other', async () => {
  const query = '{ user(userName: "grace") { name } }';
  const [refused, gone, ...answers] = await Promise.all([
    ask({ query }, { authorization: 'Bearer pstn_nobody' }),
    fetch(`${service.origin}/graphql`, { method: 'PUT' }),
    ...Array.from({ length: 4 }, () => ask({ query })),
  ]);
  expect([refused?.status, gone?.status]).toEqual([401, 405]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  for (const answer of answers) {
    const data = { user: { name: 'Grace Hollis' } };
    expect(await answer.json()).toMatchObject({ data, extensions: { credits: {} } });
  }
  const lines = () => service.log.map((line) => JSON.parse(line)).filter(({ action }) => action === 'graphql');
  await expect.poll(() => lines().length).toBe(6);
  expect(lines().filter(({ chargedMicros }) => chargedMicros === 1_000)).toHaveLength(4);
});
