import type { Readable } from 'node:stream';

export interface SandboxResponse {
  readonly status: number;
  readonly body: string | Uint8Array;
  /** Replaces `body`. */
  readonly stream?: { readonly size: number; open(): Readable };
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a response whose body is already JSON text. */
export function jsonText(body: string, status = 200, headers?: Readonly<Record<string, string>>): SandboxResponse {
  return headers === undefined ? { status, body } : { status, body, headers };
}

export function json(value: unknown, status = 200): SandboxResponse {
  return { status, body: JSON.stringify(value) };
}
