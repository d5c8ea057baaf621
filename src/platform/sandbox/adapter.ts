import { maxWaitingCalls } from '../http/transport.ts';
import type { PlatformCall, PlatformSession } from '../port.ts';
import { XPlatform, type XPlatformOptions } from '../x/adapter.ts';
import { sandboxCapabilities } from './capabilities.ts';
import { SandboxSession } from './session.ts';

/** The app that each sandbox knows. */
const app = { clientId: 'postern-demo', clientSecret: null };

/** The adapter for the sandbox platform. It uses the sandbox over HTTP only. */
export class SandboxPlatform extends XPlatform {
  override readonly honoursTokens = true;
  override readonly maxWaitingCalls = maxWaitingCalls;
  override readonly minPollMs = 500;

  /** `hidesPages` is true if browsers cannot open the pages of the sandbox, so that nobody can sign in. */
  constructor({
    hidesPages = false,
    ...options
  }: Omit<XPlatformOptions, 'features' | 'appToken' | 'app' | 'identifiers' | 'onCreditExhausted'> & {
    hidesPages?: boolean;
  }) {
    const { origin, host } = new URL(options.origin);
    const features = { extensions: true, host, pages: { url: origin, platformUrl: origin } };
    const none = { appToken: null, identifiers: null, onCreditExhausted: () => {} };
    super({ ...options, ...none, origin, features, app: hidesPages ? null : app }, sandboxCapabilities);
  }

  override as(call: PlatformCall): PlatformSession {
    return new SandboxSession(this.parts, call);
  }
}
