import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** What GraphQL over HTTP asks of a server, of a client without a key: that `{ __typename }` needs none is what makes it so. */
const audits = serverAudits({ url: () => `${service.origin}/graphql` });

test.each(audits.map(({ id, name, fn }) => [id, name, fn] as const))('%s: %s', async (_id, _name, fn) => {
  const result = await fn();
  expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
});

test('are all there', () => {
  expect(audits.length).toBeGreaterThanOrEqual(60);
});
