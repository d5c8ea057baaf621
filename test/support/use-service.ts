import { afterAll, beforeAll } from 'vitest';
import type { Overrides } from '../../src/main/app.ts';
import type { Environment } from '../../src/shared/config/config.ts';
import { Client } from './client.ts';
import { GraphqlClient } from './graphql.ts';
import { SandboxControl } from './sandbox-control.ts';
import { startService, type TestService } from './service.ts';

/**
 * Starts a service before the tests of a file and stops it after them. `ada`, `grace`, `linus` (the demo accounts) and `graphql` (ada) call with a
 * key of one new account, which has `dollars` of credit. Everything that is returned can be used in hooks and tests only.
 */
export function useService(
  env: Environment = {},
  { dollars = '1', ...overrides }: Overrides & { dollars?: string } = {},
) {
  const service = {} as TestService;
  const sandbox = new SandboxControl('');
  const [ada, grace, linus] = [new Client({ baseUrl: '' }), new Client({ baseUrl: '' }), new Client({ baseUrl: '' })];
  const graphql = new GraphqlClient({ url: '' });
  beforeAll(async () => {
    Object.assign(service, await startService(env, overrides));
    const { baseUrl, graphqlUrl, sandboxUrl, accounts } = service.demo;
    const { key } = await service.makeAccount(dollars);
    sandbox.url = sandboxUrl;
    for (const [i, client] of [ada, grace, linus].entries()) {
      Object.assign(client.options, { baseUrl, key, authToken: accounts[i]?.authToken });
    }
    Object.assign(graphql.options, { url: graphqlUrl, key, authToken: accounts[0]?.authToken });
  });
  afterAll(() => service.stop());
  /** Creates another account. Its clients act as ada. */
  const newCaller = async (dollars = '1') => {
    const account = await service.makeAccount(dollars);
    return { ...account, client: ada.with({ key: account.key }), graphql: graphql.with({ key: account.key }) };
  };
  return { service, sandbox, ada, grace, linus, graphql, newCaller };
}
