import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { close, listen } from './listen.ts';

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean };
interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code?: number };
  attributes: { key: string; value: Value }[];
}

export interface ReceivedSpan extends Omit<WireSpan, 'attributes'> {
  attributes: Record<string, unknown>;
}

/** A collector of traces that speaks OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp). */
export interface TraceCollector {
  endpoint: string;
  /** The spans that were sent as JSON, in the order of their arrival. */
  spans: ReceivedSpan[];
  /** The attributes of the last sender. */
  resource: Record<string, unknown>;
  requests: { url: string; headers: IncomingHttpHeaders; body: Buffer }[];
  /** Waits until the trace has a span with this name. Returns all of its spans that have arrived. */
  trace(traceId: string, name: string): Promise<ReceivedSpan[]>;
  stop(): Promise<void>;
}

/** Starts a collector. One that `hangs` never responds. */
export async function startTraceCollector({ port = 0, hangs = false } = {}): Promise<TraceCollector> {
  const spans: ReceivedSpan[] = [];
  const collector: TraceCollector = {
    endpoint: '',
    spans,
    resource: {},
    requests: [],
    trace: async (traceId, name) => {
      const found = () => spans.filter((span) => span.traceId === traceId);
      await expect.poll(() => found().map((span) => span.name)).toContain(name);
      return found();
    },
    stop: () => close(server),
  };
  const server = createServer(async (request, response) => {
    const raw = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
    collector.requests.push({ url: request.url ?? '', headers: request.headers, body });
    if (hangs) return;
    if (request.headers['content-type'] === 'application/json') {
      for (const { resource, scopeSpans } of JSON.parse(body.toString()).resourceSpans) {
        collector.resource = valuesOf(resource.attributes);
        const wire = scopeSpans.flatMap((scope: { spans: WireSpan[] }) => scope.spans) as WireSpan[];
        spans.push(...wire.map((span) => ({ ...span, attributes: valuesOf(span.attributes) })));
      }
    }
    response.writeHead(200, { 'content-type': request.headers['content-type'] }).end();
  });
  collector.endpoint = `http://127.0.0.1:${await listen(server, '127.0.0.1', port)}`;
  return collector;
}

function valuesOf(attributes: readonly { key: string; value: Value }[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value: { intValue, stringValue, boolValue } }) => [
      key,
      intValue === undefined ? (stringValue ?? boolValue) : Number(intValue),
    ]),
  );
}
