import { expect } from 'vitest';
import { formatDollars } from '../../../src/shared/model/money.ts';
import { Client } from '../../support/client.ts';
import { type GraphqlAnswer, GraphqlClient } from '../../support/graphql.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService, type TestService } from '../../support/service.ts';

/** What a document costs at most, and what the platform is asked for. */
export interface Shape {
  quoted: number;
  asked: Record<string, number>;
}

/** A service, and a rich caller who acts as ada over both faces. */
export interface CountedWorld {
  service: TestService;
  sandbox: SandboxControl;
  ada: GraphqlClient;
  rest: Client;
  graceId: string;
  /** Posts as a minted or demo account; answers the id. */
  post(authToken: string, text: string, more?: Record<string, string>): Promise<string>;
  /** The answer's calls, quote and charge are these. */
  expectShape(document: string, shape: Shape, variables?: Record<string, unknown>): Promise<GraphqlAnswer>;
}

/** So many calls at the flat price. */
export const calls = (count: number) => formatDollars(count * 1_000);

export const globalId = (type: string, id: string) => Buffer.from(`${type}:${id}`).toString('base64');

export async function startCountedWorld(env: Record<string, string> = {}): Promise<CountedWorld> {
  const service = await startService(env);
  const { key } = await service.makeAccount('100');
  const { baseUrl, graphqlUrl, sandboxUrl, accounts } = service.demo;
  const authToken = accounts[0]?.authToken ?? '';
  const sandbox = new SandboxControl(sandboxUrl);
  const rest = new Client({ baseUrl, key, authToken });
  const ada = new GraphqlClient({ url: graphqlUrl, key, authToken });
  return {
    ...{ service, sandbox, ada, rest },
    graceId: accounts[1]?.userId ?? '',
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
