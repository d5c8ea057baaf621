import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { showRate } from '../http/rate-limit.ts';

/** Sends a response of the web API. Waits until the client has read each part of the body. */
export async function sendWebResponse(response: ServerResponse, { status, headers, body }: Response): Promise<void> {
  if (response.closed) return void body?.cancel();
  response.statusCode = status;
  showRate(response);
  for (const [name, value] of headers) response.setHeader(name, value);
  for await (const part of body ?? []) {
    if (response.closed) return;
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}
