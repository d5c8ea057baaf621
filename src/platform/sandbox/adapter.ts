import { maxWaitingCalls } from '../http/transport.ts';
import type { PlatformCall, PlatformSession } from '../port.ts';
import { XPlatform, type XPlatformOptions } from '../x/adapter.ts';
import { sandboxCapabilities } from './capabilities.ts';
import { SandboxSession } from './session.ts';

/** The adapter for the sandbox platform. It uses the sandbox over HTTP only. */
export class SandboxPlatform extends XPlatform {
  override readonly honoursTokens = true;
  override readonly maxWaitingCalls = maxWaitingCalls;
  override readonly minPollMs = 500;

  constructor(options: Omit<XPlatformOptions, 'features' | 'appToken' | 'identifiers' | 'onCreditExhausted'>) {
    const { origin, host } = new URL(options.origin);
    const features = { extensions: true, host, pages: { url: origin, platformUrl: origin } };
    const none = { appToken: null, identifiers: null, onCreditExhausted: () => {} };
    super({ ...options, ...none, origin, features }, sandboxCapabilities);
  }

  override as(call: PlatformCall): PlatformSession {
    return new SandboxSession(this.parts, call);
  }
}
