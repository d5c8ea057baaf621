import { afterEach, beforeEach, expect } from 'vitest';
import { startService, type TestService } from '../support/service.ts';

/** A started service for each test, and streams that end with it. */
export interface StreamWorld {
  /** Of the test that runs; one that starts another puts it here. */
  service: TestService;
  /** Sends it as the demo account's caller; the stream can be ended by `end`. */
  open(url: string, init: RequestInit): Promise<{ response: Response; end: () => void }>;
  /** Something happens to the demo account. */
  happen(type: string, count?: number): Promise<void>;
}

const quiet = { SANDBOX_ACTIVITY: '0' };

/** To be called where tests are described. */
export function streamWorld(): StreamWorld {
  let service: TestService | null = null;
  let open: AbortController[] = [];
  const running = () => {
    if (!service) throw new Error('no test runs');
    return service;
  };
  beforeEach(async () => {
    service = await startService(quiet);
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
          'x-auth-token': demo.accounts[0]?.authToken ?? '',
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

/** The service is stopped by the test: this one takes its place. */
export async function startAnother(world: StreamWorld): Promise<void> {
  world.service = await startService(quiet);
}
