import { z } from 'zod';
import type { Platform } from '../../platform/port.ts';
import { type Capabilities, capabilities as schema } from '../../shared/model/capabilities.ts';
import { type Action, accountAction } from '../action.ts';

export const capabilities = accountAction({
  name: 'capabilities',
  method: 'GET',
  summary: 'The actions, event types and limits of the connected platform',
  input: z.object({}),
  example: {},
  output: schema,
  run: async ({ capabilities }) => capabilities,
});

/** Actions that need a sign-in with a browser, except on the AT Protocol, which has app passwords. */
const needsSignIn: ReadonlySet<string> = new Set(['connections/create', 'connections/reconnect']);

/** Returns the response of `capabilities` for a platform. `signIn` is left out if people cannot sign in. */
export function describeCapabilities(
  actions: readonly Action[],
  { capabilities, signIn }: Pick<Platform, 'capabilities' | 'signIn'>,
): Capabilities {
  const { kind, unsupported, eventTypes, limits } = capabilities;
  const noSignIn = signIn || kind === 'atproto' ? null : 'The operator must set PUBLIC_URL, and on X X_CLIENT_ID';
  const { unit, length, premiumLength, bytes } = limits.text;
  return {
    platform: kind,
    actions: actions.map(({ name, method, path }) => {
      const reason = unsupported[name] ?? (needsSignIn.has(name) ? noSignIn : null);
      return { name, method, path, supported: reason === null, reason };
    }),
    event_types: [...eventTypes],
    text: { unit, max_length: length, max_length_premium: premiumLength, max_bytes: bytes },
    media: Object.entries(limits.mediaBytes).map(([name, maxBytes]) => ({ kind: name, max_bytes: maxBytes })),
    sign_in: signIn ? { scopes: [...signIn.scopes], default_scopes: [...signIn.defaultScopes] } : null,
  };
}
