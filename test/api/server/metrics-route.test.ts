import { createServer } from 'node:http';
import express from 'express';
import { expect, test } from 'vitest';
import { metricsRoute } from '../../../src/api/server/metrics-route.ts';
import { Metrics } from '../../../src/shared/observability/metrics.ts';
import { originOf } from '../../support/listen.ts';
import { openSocket } from '../../support/raw.ts';

test('requests for /metrics that arrive together share a text', async () => {
  let made = 0;
  const metrics = Object.assign(new Metrics(), { text: async () => `text ${++made}` });
  const origin = await originOf(createServer(express().use(metricsRoute(metrics, null))));
  const read = async () => (await fetch(`${origin}/metrics`)).text();
  expect(await read()).toBe('text 1');
  expect(await read()).toBe('text 2');
  // One packet, so that the requests are parsed in one turn of the event loop.
  const socket = await openSocket(origin);
  socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50));
  let responses = '';
  socket.on('data', (chunk) => {
    responses += chunk;
  });
  await expect.poll(() => responses.match(/HTTP\/1\.1 200/g)?.length).toBe(50);
  expect(made).toBeLessThan(10);
  socket.destroy();
});
