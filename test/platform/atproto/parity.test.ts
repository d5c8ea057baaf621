import { describe } from 'vitest';
import { compareApis, onPlatform } from '../../api/graphql/parity-checks.ts';
import { atprotoMissing } from '../../support/atproto-network.ts';
import { startAtprotoParity } from './parity.ts';

// Connections need an app password here (connections.test.ts).
const compared = onPlatform.filter(({ name }) => !name.startsWith('connections/'));

// The AppView indexes writes asynchronously and out of order, so a failed test is retried.
describe.skipIf(atprotoMissing() !== null)('on the AT Protocol', { retry: 2 }, () =>
  compareApis(startAtprotoParity, compared, false),
);
