import type { Environment } from '../../../src/shared/config/config.ts';
import type { DirectMessage } from '../../../src/shared/model/direct-message.ts';
import { type Answer, Client } from '../../support/client.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService, type TestService } from '../../support/service.ts';

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

export interface MessageFixture {
  readonly service: TestService;
  readonly sandbox: SandboxControl;
  readonly client: Client;
  readonly ada: Writer;
  readonly grace: Writer;
  /** Creates a platform account. */
  mint(wishes?: object): Promise<Writer>;
  /** Lets a sandbox user send a message with a client of their own. */
  say(wish: Record<string, unknown>): Promise<{ conversation_id: string; event: { seq_id: string } }>;
}

export async function startMessageFixture(env: Environment = {}): Promise<MessageFixture> {
  const service = await startService({ RATE_LIMIT: '0', ...env });
  const sandbox = new SandboxControl(service.demo.sandboxUrl);
  const { key } = await service.makeAccount('10');
  const client = new Client({ baseUrl: service.demo.baseUrl, key });
  const [ada, grace] = service.demo.accounts as unknown as [Account, Account];
  const control = async (path: string, body: object) => {
    const response = await fetch(`${service.demo.sandboxUrl}/control/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`the sandbox refused: ${await response.text()}`);
    return response.json();
  };
  return {
    service,
    sandbox,
    client,
    ada: new Writer(ada, client),
    grace: new Writer(grace, client),
    mint: async (wishes = {}) => new Writer((await control('accounts', wishes)).accounts[0], client),
    say: (wish) => control('messages', wish),
  };
}

export function conversationIdOf(one: Writer, other: Writer): string {
  const ids = [one, other].map(({ account }) => BigInt(account.userId));
  return ids.sort((a, b) => (a < b ? -1 : 1)).join(':');
}
