import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { Transport } from '../../client/transport.ts';
import type { Micros } from '../../shared/model/money.ts';
import { systemRuntime } from '../../shared/runtime/runtime.ts';
import { mcpServer } from '../server.ts';
import type { Policy } from '../tools.ts';
import { GatewayBackend } from './gateway-backend.ts';
import { SpendingLimit } from './spending-limit.ts';

export interface StdioOptions {
  /** The address of the gateway, with `/v1`. */
  baseUrl: string;
  apiKey: string;
  authToken: string | undefined;
  encryptionCode: string | undefined;
  policy: Policy;
  /** The maximum cost of all calls. `null` for no limit. */
  maxMicros: Micros | null;
  /** Prints a line that is not part of the protocol. */
  warn: (line: string) => void;
}

/** A message names media by its address, so it is small. */
const maxMessageBytes = 1024 * 1024;

/** Clients wait a minute for a call by default, so the call must fail before that. */
const timeoutMs = 50_000;
const maxRetryAfterMs = 5_000;

/**
 * Serves the protocol on standard input and output. Resolves with true when the client has closed standard input, and with false if the
 * connection ended before, because of a message that is too large. Throws `TypeError` for malformed credentials.
 */
export async function serveOnStdio({ policy, maxMicros, warn, ...credentials }: StdioOptions): Promise<boolean> {
  const transport = new Transport({ ...credentials, timeoutMs, maxRetryAfterMs });
  const backend = new GatewayBackend(transport, new SpendingLimit(maxMicros));
  const policyOption = (wanted: Policy) => `--policy ${wanted}`;
  const stdio = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: maxMessageBytes });
  const served = serveStdio(() => mcpServer({ backend, policy, policyOption, runtime: systemRuntime }), {
    transport: stdio,
    maxSubscriptions: 0,
    onerror: ({ message }) => warn(message),
  });
  const { onclose } = stdio;
  const isEnd = await new Promise<boolean>((resolve) => {
    process.stdin.once('end', () => resolve(true));
    stdio.onclose = () => {
      onclose?.();
      resolve(process.stdin.readableEnded);
    };
  });
  await served.close();
  return isEnd;
}
