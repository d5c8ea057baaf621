import { Agent } from 'undici';
import { Exchange } from '../../outbound/exchange.ts';
import { PlatformAnswer, singleLimits, usualLimits } from '../http/answer.ts';
import { flag, id, list, object, text } from '../http/wire.ts';

export interface DemoAccount {
  userName: string;
  userId: string;
  authToken: string;
  encryptionCode: string;
  premium: boolean;
}

/** The demo dataset of the sandbox (`GET /control/info`). */
export interface DemoDataset {
  seed: string;
  accounts: DemoAccount[];
  /** The token of the operator's app, which belongs to no user. */
  appToken: string;
  listId: string;
  organization: string;
}

/**
 * Reads the demo dataset of a sandbox. Throws an error for the operator if `origin` does not respond or is not a
 * sandbox.
 */
export async function readDemoDataset(origin: string, timeoutMs: number): Promise<DemoDataset> {
  try {
    return await askDemoDataset(origin, timeoutMs);
  } catch (cause) {
    const reason = cause instanceof Error && cause.message ? cause.message : String(cause);
    throw new Error(`PLATFORM_URL ("${origin}") does not respond like a sandbox platform: ${reason}`, { cause });
  }
}

async function askDemoDataset(origin: string, timeoutMs: number): Promise<DemoDataset> {
  const limits = { ...usualLimits, ...singleLimits };
  const agent = new Agent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const options = { origin, path: '/control/info', method: 'GET', maxBodyBytes: limits.bytes + 1 } as const;
  const { answer } = new Exchange(agent, options);
  const body = await new PlatformAnswer(await answer.finally(() => agent.destroy()), limits, false).json();
  const info = object(body, 'body');
  const demo = object(info.demo, 'demo');
  return {
    seed: text(info.seed, 'seed'),
    accounts: list(demo.accounts, 'accounts').map((item) => {
      const account = object(item, 'accounts[]');
      return {
        userName: text(account.userName, 'userName'),
        userId: id(account.userId, 'userId'),
        authToken: text(account.authToken, 'authToken'),
        encryptionCode: text(account.encryptionCode, 'encryptionCode'),
        premium: flag(account.premium, 'premium'),
      };
    }),
    appToken: text(demo.appToken, 'appToken'),
    listId: id(demo.listId, 'listId'),
    organization: text(demo.organization, 'organization'),
  };
}
