import { describe } from 'vitest';
import { atprotoCapabilities } from '../../src/platform/atproto/capabilities.ts';
import { sandboxCapabilities } from '../../src/platform/sandbox/capabilities.ts';
import { xCapabilities } from '../../src/platform/x/capabilities.ts';
import { startSandboxParity, startXParity } from '../api/graphql/parity-sandbox.ts';
import { atprotoMissing } from '../support/atproto-network.ts';
import { startAtprotoParity } from './atproto/parity.ts';
import { type ConformingAdapter, describePlatform } from './conformance.ts';

const adapters: readonly ConformingAdapter[] = [
  { capabilities: sandboxCapabilities, unknownName: 'nobody_here', start: startSandboxParity },
  // X lists each retweet of a tweet.
  { capabilities: xCapabilities, unknownName: 'nobody_here', repeating: ['user/home_timeline'], start: startXParity },
  { capabilities: atprotoCapabilities, unknownName: 'nobody.test', start: startAtprotoParity },
];
const canRun = ({ capabilities: { kind } }: ConformingAdapter) => kind !== 'atproto' || atprotoMissing() === null;

// The AppView of the AT Protocol indexes writes later and in another order, so a failed test is repeated.
describe.each(adapters.map((adapter) => [adapter.capabilities.kind, adapter] as const))(
  'the adapter %s',
  (kind, adapter) => {
    describe.skipIf(!canRun(adapter))('conforms', { retry: kind === 'atproto' ? 2 : 0 }, () =>
      describePlatform(adapter),
    );
  },
);
