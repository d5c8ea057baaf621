import { expect } from 'vitest';
import type { Overrides } from '../../../src/main/app.ts';
import { formatDollars } from '../../../src/shared/model/money.ts';
import { useService } from '../../support/use-service.ts';

/** The expected quote of a document and the expected calls to the platform. */
export interface ExpectedCost {
  quoted: number;
  asked: Record<string, number>;
  /** The expected number of charged calls. Default: the expected number of platform requests. */
  charged?: number;
}

/** The price of a number of calls. */
export const calls = (count: number) => formatDollars(count * 1_000);

export const globalId = (type: string, id: string) => Buffer.from(`${type}:${id}`).toString('base64');

/** Starts a service for the tests of a file, and a caller with much credit who acts as ada over REST and GraphQL. */
export async function useCallCounts(env: Record<string, string> = {}, overrides: Overrides = {}) {
  const started = await useService(env, { dollars: '100', ...overrides });
  const { service, sandbox, ada: rest, graphql: ada, newCaller } = started;
  return {
    service,
    sandbox,
    ada,
    rest,
    graceId: service.demo.accounts[1].userId,
    /** Creates another account, whose clients act as a new user. */
    async newCaller(dollars = '1') {
      const { client, graphql } = await newCaller(dollars);
      const { authToken, userName } = await sandbox.mint();
      return { graphql: graphql.with({ authToken }), rest: client.with({ authToken }), userName };
    },
    /** Posts a tweet as a minted account or a demo account. Returns its id. */
    async post(token: string, text: string, more: Record<string, string> = {}) {
      const { status, body } = await rest.with({ authToken: token }).post('/tweet/create', { text, ...more });
      expect(status, body.error ?? '').toBe(200);
      return String(body.data['id']);
    },
    /** Sends the document and checks the calls, quote and charge of the response. */
    async expectShape(
      document: string,
      { quoted, asked, charged }: ExpectedCost,
      variables: Record<string, unknown> = {},
    ) {
      const [answer, found] = await sandbox.requestsDuring(() => ada.ask(document, variables));
      expect(answer.errors).toEqual([]);
      expect(found).toEqual(asked);
      const total = charged ?? Object.values(asked).reduce((sum, count) => sum + count, 0);
      expect(answer.extensions.cost).toEqual({ quoted: calls(quoted), actual: calls(total), limit: '0.5' });
      expect(quoted).toBeGreaterThanOrEqual(total);
      return answer;
    },
  };
}
