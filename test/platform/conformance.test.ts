import { describe } from 'vitest';
import { atprotoCapabilities } from '../../src/platform/atproto/capabilities.ts';
import { sandboxCapabilities } from '../../src/platform/sandbox/capabilities.ts';
import { xCapabilities } from '../../src/platform/x/capabilities.ts';
import { startSandboxParity, startXParity } from '../api/graphql/parity-sandbox.ts';
import { atprotoMissing } from '../support/atproto-network.ts';
import { isAll } from '../support/repetitions.ts';
import { startAtprotoParity } from './atproto/parity.ts';
import { type ConformingAdapter, describePlatform } from './conformance.ts';

const adapters: readonly ConformingAdapter[] = [
  { capabilities: sandboxCapabilities, unknownName: 'nobody_here', start: startSandboxParity },
  // X lists each retweet of a tweet.
  { capabilities: xCapabilities, unknownName: 'nobody_here', repeating: ['user/home_timeline'], start: startXParity },
  { capabilities: atprotoCapabilities, unknownName: 'nobody.test', start: startAtprotoParity },
];
// The servers of the AT Protocol run in `npm run test:all` only, if they are installed.
const canRun = (kind: string) => kind !== 'atproto' || (isAll && atprotoMissing() === null);

for (const adapter of adapters) {
  const { kind } = adapter.capabilities;
  // Their AppView indexes writes asynchronously and out of order, so a failed test is retried.
  describe.skipIf(!canRun(kind))(`the adapter ${kind}`, { retry: kind === 'atproto' ? 2 : 0 }, () =>
    describePlatform(adapter),
  );
}
