import { afterEach, beforeEach, expect } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

/** A started service for each test, with streams that end after the test. */
export interface StreamFixture {
  /** The service of the running test. A test that starts another service stores it here. */
  service: TestService;
  /** Opens a stream as the demo account. `end` closes it. */
  open(url: string, init: RequestInit): Promise<{ response: Response; end: () => void }>;
  /** Makes events for the demo account. */
  happen(type: string, count?: number): Promise<void>;
}

/** Must be called while tests are being declared. */
export function streamFixture(): StreamFixture {
  let service: TestService | null = null;
  let open: AbortController[] = [];
  const running = () => {
    if (!service) throw new Error('no test runs');
    return service;
  };
  beforeEach(async () => {
    service = await startService({ POLLER_EVENTS_PER_MINUTE: '1000000' });
    open = [];
  });
  afterEach(async () => {
    for (const each of open) each.abort();
    await running().stop();
  });
  return {
    get service() {
      return running();
    },
    set service(given) {
      service = given;
    },
    async open(url, init) {
      const { demo } = running();
      const controller = new AbortController();
      open.push(controller);
      const response = await fetch(url, {
        ...init,
        signal: controller.signal,
        headers: {
          authorization: `Bearer ${demo.apiKey}`,
          'x-auth-token': demo.accounts[0].authToken,
          ...(init.headers as Record<string, string>),
        },
      });
      return { response, end: () => controller.abort() };
    },
    async happen(type, count = 1) {
      const response = await fetch(`${running().demo.sandboxUrl}/control/events`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type, userName: 'ada', count }),
      });
      expect(response.status).toBe(201);
    },
  };
}

/** Starts another service in place of one that the test has stopped. */
export async function startAnother(fixture: StreamFixture): Promise<void> {
  fixture.service = await startService({ POLLER_EVENTS_PER_MINUTE: '1000000' });
}
