import { request } from 'undici';
import type { Config } from '../../shared/config/config.ts';
import { type Finding, passed, reasonOf, warn } from './finding.ts';

const answerMs = 3_000;

/** Any HTTP response shows that a server listens there. A collector that is away is no failure, because calls do not need it. */
export async function checkTraces({ traces }: Config): Promise<readonly Finding[]> {
  if (traces === null) return [];
  const { endpoint, protocol } = traces;
  try {
    const { body } = await request(endpoint, { signal: AbortSignal.timeout(answerMs) });
    await body.dump();
    return [passed('traces', `go to ${endpoint} (${protocol}), which responds`)];
  } catch (error) {
    const todo =
      'start the collector, correct OTEL_EXPORTER_OTLP_ENDPOINT (its port for HTTP is usually 4318), or unset it';
    return [warn('traces', `${endpoint} does not respond: ${reasonOf(error)}. Traces would be lost`, todo)];
  }
}
