import { type AddressInfo, connect } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
import { metricsRoute } from '../../../src/api/server/metrics-route.ts';
import { Metrics } from '../../../src/shared/observability/metrics.ts';

test('requests for /metrics that arrive together share a text', async () => {
  let made = 0;
  const metrics = Object.assign(new Metrics(), { text: async () => `text ${++made}` });
  const server = express().use(metricsRoute(metrics, null)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(await read()).toBe('text 1');
  expect(await read()).toBe('text 2');
  // One packet, so that the requests are parsed in one turn of the event loop.
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50));
  let responses = '';
  socket.on('data', (chunk) => {
    responses += chunk;
  });
  await expect.poll(() => responses.match(/HTTP\/1\.1 200/g)?.length).toBe(50);
  expect(made).toBeLessThan(10);
  socket.destroy();
  server.close();
});
