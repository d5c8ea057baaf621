import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { atprotoMissing, startAtprotoNetwork } from '../../support/atproto-network.ts';

const missing = atprotoMissing();
if (missing) process.stderr.write(`${missing}\n`);

const opens = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(true)).on('error', () =>
      resolve(false),
    );
    socket.once('connect', () => socket.destroy());
  });

describe.skipIf(missing !== null)('the network of the tests', () => {
  test('has a PDS, an AppView and a PLC directory, and ends them all', async () => {
    const network = await startAtprotoNetwork();
    onTestFinished(network.stop);
    const urls = [network.pdsUrl, network.appViewUrl, network.plcUrl];
    for (const url of urls) {
      const response = await fetch(`${url}/${url === network.plcUrl ? '_health' : 'xrpc/_health'}`);
      expect(response.status, url).toBe(200);
    }
    await network.stop();
    expect(await Promise.all(urls.map(opens))).toEqual([false, false, false]);
  });
});
