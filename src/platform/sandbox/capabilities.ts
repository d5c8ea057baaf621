import { eventTypes } from '../../shared/model/event.ts';
import type { PlatformCapabilities } from '../capabilities.ts';
import { xCapabilities } from '../x/capabilities.ts';

/** The sandbox supports every action, within the limits of X. */
export const sandboxCapabilities: PlatformCapabilities = {
  ...xCapabilities,
  kind: 'sandbox',
  unsupported: {},
  eventTypes,
};
