import { demoAccess, type ExampleRequest, examplesFor } from '../src/api/demo/examples.ts';
import { readUntil } from './openapi/caller.ts';
import { inService } from './openapi/performed.ts';

/** These replace the URL with a random port, and the cursor, which is sealed with a random vector. */
const shownSandbox = 'http://127.0.0.1:4001';
const shownCursor = 'my-EV-8O36Q3n04SSoxT';

/** Performs the first calls of the home page, and returns the text of each result by the name of its example. */
export function exampleResults(): Promise<Record<string, string>> {
  return inService(async ({ demo, timers }) => {
    const access = demoAccess(demo);
    const send = ({ url, authToken, body }: ExampleRequest, signal: AbortSignal | null = null) =>
      fetch(url, {
        signal,
        method: body ? 'POST' : 'GET',
        headers: {
          authorization: `Bearer ${access.apiKey}`,
          'x-auth-token': authToken,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body).replace('{time}', '09:00:00') }),
      });
    const results: Record<string, string> = {};
    for (const { name, requests } of examplesFor(access)) {
      const [first, second] = requests;
      if (!first) continue;
      if (second) timers.letRun();
      const controller = new AbortController();
      const response = await send(first, controller.signal);
      if (second) {
        await send(second);
        results[name] = await readUntil(response, /^id:.*(?:\n.+)*(?=\n\n)/m);
      } else results[name] = JSON.stringify(await response.json(), null, 2);
      controller.abort();
    }
    results['search'] = (results['search'] ?? '')
      .replaceAll(demo.sandboxUrl, shownSandbox)
      .replace(/("next_cursor": )"[^"]+"/, `$1"${shownCursor}"`);
    return results;
  });
}
