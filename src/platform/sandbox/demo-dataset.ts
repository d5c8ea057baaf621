import { Agent } from 'undici';
import { z } from 'zod';
import { Exchange } from '../../outbound/exchange.ts';
import { PlatformAnswer, singleLimits, usualLimits } from '../http/answer.ts';

const text = z.string().max(1_000);
const account = z.object({
  userName: text,
  userId: text,
  name: text.default(''),
  profilePicture: text.default(''),
  authToken: text,
  encryptionCode: text,
  premium: z.boolean(),
});
/** `appToken` is the token of the operator's app, which belongs to no user. */
const demo = z.object({ accounts: z.array(account), appToken: text, listId: text, organization: text });
const infoSchema = z.object({ seed: text, demo });

/** The credentials of a demo account. */
export type DemoAccount = Omit<z.infer<typeof account>, 'name' | 'profilePicture'>;
/** The demo dataset of the sandbox (`GET /control/info`). */
export type DemoDataset = z.infer<typeof demo> & { seed: string };

/**
 * Reads the demo dataset of a sandbox. Throws an error for the operator if `origin` does not respond or is not a
 * sandbox.
 */
export async function readDemoDataset(origin: string, timeoutMs: number): Promise<DemoDataset> {
  const limits = { ...usualLimits, ...singleLimits };
  const agent = new Agent({ headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const options = { origin, path: '/control/info', method: 'GET', maxBodyBytes: limits.bytes + 1 } as const;
  try {
    const { answer } = new Exchange(agent, options);
    const body = await new PlatformAnswer(await answer.finally(() => agent.destroy()), limits, false).json();
    const info = infoSchema.safeParse(body);
    if (!info.success) throw new Error('the response has another shape');
    return { seed: info.data.seed, ...info.data.demo };
  } catch (cause) {
    const reason = cause instanceof Error && cause.message ? cause.message : String(cause);
    throw new Error(`PLATFORM_URL ("${origin}") does not respond like a sandbox platform: ${reason}`, { cause });
  }
}
