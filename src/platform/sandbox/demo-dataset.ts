import { request } from 'undici';
import { asWire, flag, id, list, object, text } from './wire.ts';

export interface DemoAccount {
  userName: string;
  userId: string;
  authToken: string;
  encryptionCode: string;
  premium: boolean;
}

/** What the sandbox tells of its demo dataset (its contract, `GET /control/info`). */
export interface DemoDataset {
  seed: string;
  accounts: DemoAccount[];
  listId: string;
  organization: string;
}

/** Asks a sandbox for its demo dataset. Throws where `origin` is none, or does not answer; made for people. */
export async function readDemoDataset(origin: string, timeoutMs: number): Promise<DemoDataset> {
  try {
    return await askDemoDataset(origin, timeoutMs);
  } catch (cause) {
    const reason = cause instanceof Error && cause.message ? cause.message : String(cause);
    throw new Error(`PLATFORM_URL ("${origin}") does not answer as a sandbox platform: ${reason}`, { cause });
  }
}

async function askDemoDataset(origin: string, timeoutMs: number): Promise<DemoDataset> {
  const response = await request(`${origin}/control/info`, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const info = asWire(await response.body.json(), 'body');
  const demo = object(info, 'demo');
  return {
    seed: text(info, 'seed'),
    accounts: list(demo, 'accounts').map((item) => {
      const account = asWire(item, 'accounts[]');
      return {
        userName: text(account, 'userName'),
        userId: id(account, 'userId'),
        authToken: text(account, 'authToken'),
        encryptionCode: text(account, 'encryptionCode'),
        premium: flag(account, 'premium'),
      };
    }),
    listId: id(demo, 'listId'),
    organization: text(demo, 'organization'),
  };
}
