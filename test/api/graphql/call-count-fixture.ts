import { expect } from 'vitest';
import type { Overrides } from '../../../src/main/app.ts';
import { formatDollars } from '../../../src/shared/model/money.ts';
import { Client } from '../../support/client.ts';
import { type GraphqlAnswer, GraphqlClient } from '../../support/graphql.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService, type TestService } from '../../support/service.ts';

/** The expected quote of a document and the expected calls to the platform. */
export interface ExpectedCost {
  quoted: number;
  asked: Record<string, number>;
}

/** A service, and a caller with much credit who acts as ada over REST and GraphQL. */
export interface CallCountFixture {
  service: TestService;
  sandbox: SandboxControl;
  ada: GraphqlClient;
  rest: Client;
  graceId: string;
  /** Posts a tweet as a minted account or a demo account. Returns its id. */
  post(authToken: string, text: string, more?: Record<string, string>): Promise<string>;
  /** Sends the document and checks the calls, quote and charge of the response. */
  expectShape(document: string, shape: ExpectedCost, variables?: Record<string, unknown>): Promise<GraphqlAnswer>;
}

/** The price of a number of calls. */
export const calls = (count: number) => formatDollars(count * 1_000);

export const globalId = (type: string, id: string) => Buffer.from(`${type}:${id}`).toString('base64');

export async function startCallCountFixture(
  env: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<CallCountFixture> {
  const service = await startService(env, overrides);
  const { key } = await service.makeAccount('100');
  const { baseUrl, graphqlUrl, sandboxUrl, accounts } = service.demo;
  const authToken = accounts[0].authToken;
  const sandbox = new SandboxControl(sandboxUrl);
  const rest = new Client({ baseUrl, key, authToken });
  const ada = new GraphqlClient({ url: graphqlUrl, key, authToken });
  return {
    service,
    sandbox,
    ada,
    rest,
    graceId: accounts[1].userId,
    async post(token, text, more = {}) {
      const { status, body } = await rest.with({ authToken: token }).post('/tweet/create', { text, ...more });
      expect(status, body.error ?? '').toBe(200);
      return String(body.data['id']);
    },
    async expectShape(document, { quoted, asked }, variables = {}) {
      const [answer, found] = await sandbox.requestsDuring(() => ada.ask(document, variables));
      expect(answer.errors).toEqual([]);
      expect(found).toEqual(asked);
      const total = Object.values(asked).reduce((sum, count) => sum + count, 0);
      expect(answer.extensions.cost).toEqual({ quoted: calls(quoted), actual: calls(total), limit: '0.5' });
      expect(quoted).toBeGreaterThanOrEqual(total);
      return answer;
    },
  };
}
