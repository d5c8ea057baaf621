import { serverAudits } from 'graphql-http';
import { expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';

const { service } = await useService();

/** The audits of GraphQL over HTTP for a client without a key. They work, because `{ __typename }` needs no key. */
const audits = serverAudits({ url: () => `${service.origin}/graphql` });

test.each(audits.map(({ id, name, fn }) => [id, name, fn] as const))('%s: %s', async (_id, _name, fn) => {
  const result = await fn();
  expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
});

test('are all there', () => {
  expect(audits.length).toBeGreaterThanOrEqual(60);
});
