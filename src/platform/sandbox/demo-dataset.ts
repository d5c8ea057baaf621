import { request } from 'undici';
import { asWire, flag, id, list, object, text } from './wire.ts';

export interface DemoAccount {
  userName: string;
  userId: string;
  authToken: string;
  encryptionCode: string;
  premium: boolean;
}

/** The demo dataset as the sandbox describes it (`GET /control/info` of its contract). */
export interface DemoDataset {
  seed: string;
  accounts: DemoAccount[];
  listId: string;
  organization: string;
}

/** Reads the demo dataset of a sandbox. Throws an error for the operator if `origin` is not a sandbox or does not respond. */
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
