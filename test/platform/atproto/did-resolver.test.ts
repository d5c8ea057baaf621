import { expect, test } from 'vitest';
import { DidResolver } from '../../../src/platform/atproto/did-resolver.ts';
import { PlatformAnswer, usualLimits } from '../../../src/platform/http/answer.ts';
import type { Transport } from '../../../src/platform/http/transport.ts';
import type { PlatformCall } from '../../../src/platform/port.ts';
import { did } from './fake-servers.ts';

const call = { proxy: null } as PlatformCall;

/** A resolver that reads a DID document with this server. */
function resolverFor(serviceEndpoint: string, operatorServer: string): DidResolver {
  const document = { service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint }] };
  const headers = { retryAfter: null, rateLimitReset: null, rateLimitRemaining: null, headers: {} };
  const response = { status: 200, ...headers, body: Buffer.from(JSON.stringify(document)) };
  const send: Transport['send'] = async (_request, _call, read) =>
    read(new PlatformAnswer(response, usualLimits, false));
  return new DidResolver({
    transport: { send } as Transport,
    plcUrl: 'https://plc.example',
    service: { origin: operatorServer, chosenBy: 'operator' },
    now: () => 0,
  });
}

test.each([
  ['https://pds.example', 'https://service.example', 'https://pds.example'],
  ['http://pds.example', 'http://service.example', 'http://pds.example'],
  ['http://pds.example', 'https://service.example', null],
  ['http://service.example', 'https://service.example', null],
  [`https://${'a'.repeat(300)}.example`, 'https://service.example', null],
  ['ftp://pds.example', 'http://service.example', null],
])('an account on %s is reached through the operator server %s: %s', async (pds, operatorServer, origin) => {
  const resolved = resolverFor(pds, operatorServer).pdsOf(did, call);
  if (origin) expect(await resolved).toMatchObject({ origin });
  else await expect(resolved).rejects.toMatchObject({ code: 'forbidden' });
});
