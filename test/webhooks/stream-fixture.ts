import { beforeEach } from 'vitest';
import { atEnd } from '../support/at-end.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { startService, type TestService } from '../support/service.ts';

/** A service for each test, with streams that end with the test. */
export interface StreamFixture {
  /** The service of the running test. */
  readonly service: TestService;
  /** Opens a stream as the demo account. `end` closes it. */
  open(url: string, init: RequestInit): Promise<{ response: Response; end: () => void }>;
  /** Makes events for the demo account. */
  happen(type: string, count?: number): Promise<unknown>;
}

/** Must be called while tests are being declared. */
export function streamFixture(): StreamFixture {
  let service: TestService;
  beforeEach(async () => {
    service = await startService({ POLLER_EVENTS_PER_MINUTE: '1000000' });
    atEnd(service.stop);
  });
  return {
    get service() {
      return service;
    },
    async open(url, init) {
      const { apiKey, accounts } = service.demo;
      const controller = new AbortController();
      atEnd(() => controller.abort());
      const own = { authorization: `Bearer ${apiKey}`, 'x-auth-token': accounts[0].authToken };
      const headers = { ...own, ...(init.headers as Record<string, string>) };
      const response = await fetch(url, { ...init, signal: controller.signal, headers });
      return { response, end: () => controller.abort() };
    },
    happen: (type, count = 1) =>
      new SandboxControl(service.demo.sandboxUrl).makeEvents({ type, userName: 'ada', count }),
  };
}

/** Returns the events of a stream as texts, one after the other. */
export async function* eventsOf(response: Response): AsyncGenerator<string> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 2);
    }
  }
}
