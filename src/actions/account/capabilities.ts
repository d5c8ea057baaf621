import { z } from 'zod';
import type { Platform } from '../../platform/port.ts';
import { type Capabilities, capabilities as schema } from '../../shared/model/capabilities.ts';
import { type Action, accountAction } from '../action.ts';

export const capabilities = accountAction({
  name: 'capabilities',
  method: 'GET',
  path: '/capabilities',
  summary: 'The actions, event types and limits of the connected platform',
  price: 0,
  effect: 'read',
  input: z.object({}),
  example: {},
  output: schema,
  run: async ({ capabilities }) => capabilities,
});

/** Returns the response of `capabilities` for a platform. */
export function describeCapabilities(
  actions: readonly Action[],
  { capabilities, signIn }: Pick<Platform, 'capabilities' | 'signIn'>,
): Capabilities {
  const { kind, unsupported, eventTypes, limits } = capabilities;
  const { unit, length, premiumLength, bytes } = limits.text;
  return {
    platform: kind,
    actions: actions.map(({ name, method, path }) => {
      const reason = unsupported[name] ?? null;
      return { name, method, path, supported: reason === null, reason };
    }),
    event_types: [...eventTypes],
    text: { unit, max_length: length, max_length_premium: premiumLength, max_bytes: bytes },
    media: Object.entries(limits.mediaBytes).map(([name, maxBytes]) => ({ kind: name, max_bytes: maxBytes })),
    sign_in: signIn ? { scopes: [...signIn.scopes], default_scopes: [...signIn.defaultScopes] } : null,
  };
}
