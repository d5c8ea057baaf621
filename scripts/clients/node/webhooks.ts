import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { actor, apiKey, baseUrl, step } from './scenario.ts';

const secret = 'a-secret-of-at-least-16';
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'x-auth-token': actor };

/** A received delivery. */
let delivery: { body: string; headers: Record<string, string> } | undefined;
const receiver = createServer(async (request, response) => {
  const token = new URL(request.url ?? '/', 'http://receiver').searchParams.get('crc_token');
  let body = '';
  for await (const chunk of request) body += chunk;
  if (token === null) delivery = { body, headers: request.headers as Record<string, string> };
  const answer = token && { response_token: `sha256=${createHmac('sha256', secret).update(token).digest('base64')}` };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(answer ?? {}));
});
await new Promise<void>((resolve) => receiver.listen(0, 'localhost', resolve));
const address = receiver.address();
const port = typeof address === 'object' && address ? address.port : 0;

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const { data, error } = (await response.json()) as { data: Record<string, unknown>; error: string | null };
  if (error !== null) throw new Error(error);
  return data;
}

await step('a delivery arrives', async () => {
  const { id } = await post('/webhooks', { url: `http://localhost:${port}/hook`, secret });
  await post(`/webhooks/${id}/test`, {});
  assert.ok(delivery);
});

const ready = `whsec_${Buffer.from(secret).toString('base64')}`;
for (const [name, verifier] of [
  ['standardwebhooks', new StandardWebhook(ready)],
  ['svix', new SvixWebhook(ready)],
] as const) {
  await step(`${name} verifies it`, async () => {
    assert.ok(delivery);
    const event = verifier.verify(delivery.body, delivery.headers) as { type: string };
    assert.equal(event.type, 'webhook.test');
  });
  await step(`${name} refuses it when it is changed`, async () => {
    assert.ok(delivery);
    const { body, headers: given } = delivery;
    assert.throws(() => verifier.verify(body.replace('webhook.test', 'webhook.best'), given));
  });
}
receiver.close();
receiver.closeAllConnections();
