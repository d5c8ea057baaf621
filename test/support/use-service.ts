import { afterAll } from 'vitest';
import type { Overrides } from '../../src/main/app.ts';
import type { Environment } from '../../src/shared/config/config.ts';
import { Client } from './client.ts';
import { GraphqlClient } from './graphql.ts';
import { SandboxControl } from './sandbox-control.ts';
import { startService } from './service.ts';

/**
 * Starts a service for the tests of a file and stops it after them. The clients `ada`, `grace` and `linus` act as the demo accounts, and
 * `graphql` acts as ada. All use one API key of a new account, whose credit is `dollars`.
 */
export async function useService(
  env: Environment = {},
  { dollars = '1', ...overrides }: Overrides & { dollars?: string } = {},
) {
  const service = await startService(env, overrides);
  afterAll(() => service.stop());
  const { baseUrl, graphqlUrl, sandboxUrl, accounts } = service.demo;
  const { key } = await service.makeAccount(dollars);
  const clientOf = ({ authToken }: { authToken: string }) => new Client({ baseUrl, key, authToken });
  const [ada, grace, linus] = [clientOf(accounts[0]), clientOf(accounts[1]), clientOf(accounts[2])];
  const graphql = new GraphqlClient({ url: graphqlUrl, key, authToken: accounts[0].authToken });
  /** Creates another account. Its clients act as ada. */
  const newCaller = async (dollars = '1') => {
    const account = await service.makeAccount(dollars);
    return { ...account, client: ada.with({ key: account.key }), graphql: graphql.with({ key: account.key }) };
  };
  return { service, sandbox: new SandboxControl(sandboxUrl), ada, grace, linus, graphql, newCaller };
}
