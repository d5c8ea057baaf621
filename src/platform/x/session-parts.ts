import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Wire } from '../http/wire.ts';
import type { ConfigRules } from '../juicebox/config.ts';
import { Juicebox } from '../juicebox/juicebox.ts';
import type { PlatformCall, PlatformIdentifiers } from '../port.ts';
import { type XBody, XClient, type XClientOptions, type XRequest, type XWrite } from './client.ts';
import type { XFeatures } from './features.ts';
import { Identifiers } from './identifiers.ts';
import type { PriceClass } from './operations.ts';

export interface SessionParts {
  client: XClient;
  identifiers: Identifiers;
  /** The store of `Notes`. */
  stored: PlatformIdentifiers | null;
  features: XFeatures;
  runtime: Runtime;
  juicebox: Juicebox;
  /** False if the operator has turned direct messages off. */
  hasMessages: boolean;
}

/** Returns what all sessions of an adapter share. */
export function sessionParts({
  stored,
  hasMessages,
  allowsFastHashing,
  ...options
}: XClientOptions &
  Pick<SessionParts, 'stored' | 'hasMessages'> &
  Pick<ConfigRules, 'allowsFastHashing'>): SessionParts {
  const { features, runtime, transport } = options;
  const client = new XClient(options);
  const juicebox = new Juicebox({ platform: new URL(options.origin), allowsFastHashing }, transport, runtime);
  return { client, features, runtime, identifiers: new Identifiers(client, runtime), stored, juicebox, hasMessages };
}

/** A part of a session, such as its messages. */
export class SessionPart {
  protected readonly parts: SessionParts;
  protected readonly call: PlatformCall;

  constructor(parts: SessionParts, call: PlatformCall) {
    this.parts = parts;
    this.call = call;
  }

  /** Sends a read. */
  protected get<Query extends string, Class extends PriceClass, T>(
    request: XRequest<Query, Class>,
    read: (body: XBody) => T,
  ): Promise<T> {
    return this.parts.client.send(request, this.call, read);
  }

  protected write<Body extends string, T>(request: XWrite<Body>, read: (data: Wire) => T): Promise<T> {
    return this.parts.client.write(request, this.call, read);
  }
}
