import { fileURLToPath } from 'node:url';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The common part of the official clients. */
export interface Agent {
  names(): Promise<string[]>;
  /** The whole response to `tools/list`. */
  list(): Promise<unknown>;
  call(name: string, input?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface ToolResult {
  isError: boolean;
  text: string;
  structured: {
    data?: Record<string, unknown>;
    error?: Record<string, unknown>;
    cost: { charged: string | null; credit_left: string | null; limit_left?: string };
    [field: string]: unknown;
  };
}

/** `1.x` is the client of the first SDK; `2.x` also speaks the revision of the protocol without sessions. */
export type Generation = '1.x' | '2.x';
export const generations: readonly Generation[] = ['1.x', '2.x'];

const info = { name: 'test', version: '1' };
const newest = { versionNegotiation: { mode: 'auto' as const } };

/** Connects to `/mcp`. */
export function overHttp(generation: Generation, url: string, headers: Record<string, string>): Promise<Agent> {
  const options = { requestInit: { headers } };
  return generation === '1.x'
    ? connected(new Client(info), new StreamableHTTPClientTransport(new URL(url), options))
    : connected(new ModernClient(info, newest), new ModernHttp(new URL(url), options));
}

/** Starts `postern mcp`. */
export function overStdio(
  generation: Generation,
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<Agent> {
  const command = fileURLToPath(new URL('../../scripts/postern.js', import.meta.url));
  const options = {
    command: process.execPath,
    args: [command, 'mcp', ...args],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'ignore' as const,
  };
  return generation === '1.x'
    ? connected(new Client(info), new StdioClientTransport(options))
    : connected(new ModernClient(info, newest), new ModernStdio(options));
}

type AnyClient = Pick<Client, 'close'> & {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
};

async function connected(client: Client | ModernClient, transport: unknown): Promise<Agent> {
  const any = client as unknown as AnyClient;
  await any.connect(transport);
  const list = () => any.listTools();
  return {
    list,
    names: async () => (await list()).tools.map(({ name }) => name),
    async call(name, input = {}, signal) {
      // Tests end hanging calls themselves.
      const options = { timeout: 600_000, ...(signal && { signal }) };
      const params = { name, arguments: input };
      const result =
        client instanceof Client
          ? await client.callTool(params, undefined, options)
          : await client.callTool(params, options);
      const [first] = result.content as { text: string }[];
      return {
        isError: result.isError === true,
        text: first?.text ?? '',
        structured: result.structuredContent as ToolResult['structured'],
      };
    },
    close: () => any.close(),
  };
}
