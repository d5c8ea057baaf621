import type { DemoAccount } from '../../../src/platform/sandbox/demo-dataset.ts';
import type { Environment } from '../../../src/shared/config/config.ts';
import type { DirectMessage } from '../../../src/shared/model/direct-message.ts';
import type { Answer, Client } from '../../support/client.ts';
import { useService } from '../../support/use-service.ts';

export interface Account {
  userName: string;
  userId: string;
  authToken: string;
  encryptionCode: string;
}

/** A platform account with its encryption code, which sends messages over REST. */
export class Writer {
  readonly account: Account;
  readonly client: Client;

  constructor(account: Account, client: Client) {
    this.account = account;
    this.client = client.with({ authToken: account.authToken });
  }

  get code() {
    return { 'x-encryption-code': this.account.encryptionCode };
  }

  get(path: string, query: Record<string, string> = {}, headers: Record<string, string> = this.code): Promise<Answer> {
    return this.client.get(path, query, headers);
  }

  post(path: string, body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<Answer> {
    return this.client.post(path, { encryption_code: this.account.encryptionCode, ...body }, headers);
  }

  async sends(
    to: Writer | string,
    text: string,
  ): Promise<{ seq_id: string; conversation_id: string; message_id: string }> {
    const whom = typeof to === 'string' ? { conversation_id: to } : { user_id: to.account.userId };
    return dataOf(await this.post('/dm/send', { ...whom, text })) as never;
  }

  async reads(conversation_id: string, query: Record<string, string> = {}): Promise<DirectMessage[]> {
    const data = dataOf(await this.get('/dm/messages', { conversation_id, ...query }));
    return data['messages'] as DirectMessage[];
  }
}

export function dataOf(answer: Answer): Record<string, unknown> {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${answer.body.error}`);
  return answer.body.data;
}

/** Starts a service for the tests of a file. */
export async function startMessageFixture(env: Environment = {}) {
  const { service, sandbox, ada } = await useService({ RATE_LIMIT: '0', ...env }, { dollars: '10' });
  const client = ada.with({ authToken: '' });
  const writerOf = (account: DemoAccount) => new Writer(account, client);
  const [first, second] = service.demo.accounts;
  return {
    service,
    sandbox,
    client,
    ada: writerOf(first),
    grace: writerOf(second),
    /** Creates a platform account. */
    mint: async (wishes: Record<string, unknown> = {}) => writerOf(await sandbox.mint(wishes)),
  };
}

export type MessageFixture = Awaited<ReturnType<typeof startMessageFixture>>;

export function conversationIdOf(one: Writer, other: Writer): string {
  const ids = [one, other].map(({ account }) => BigInt(account.userId));
  return ids.sort((a, b) => (a < b ? -1 : 1)).join(':');
}
