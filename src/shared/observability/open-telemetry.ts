import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { PosternError } from '../errors/postern-error.ts';
import type { Logger } from './logger.ts';
import {
  type DeliveryAttempt,
  type InTrace,
  methodAttribute,
  type RequestTrace,
  type SpanAttributes,
  type Stage,
  type StageSpan,
  type Tracing,
} from './tracing.ts';

/** The maximum number of stages of one request that get a span, so that one request cannot fill the queue of all others. */
const maxStages = 500;

export interface OpenTelemetryOptions {
  protocol: 'http/protobuf' | 'http/json';
  version: string;
  /** The id of this process in the resource of its spans. */
  instance: string;
  logger: Logger;
}

/** The request whose code is running, and the span in which it runs. */
interface Scope {
  readonly request: { isOpen: boolean; stages: number };
  readonly context: Context;
}

/** Exports traces with OTLP. The packages read the standard `OTEL_*` environment variables themselves. */
export async function openTelemetry({ protocol, version, instance, logger }: OpenTelemetryOptions): Promise<Tracing> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  // Only warnings about the variables are wanted. Later ones would repeat for each batch, and `LoggedExporter` reports failures.
  diag.setLogger(warningsTo(logger), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new LoggedExporter(new OTLPTraceExporter(), logger);
  const named = resourceFromAttributes({
    'service.name': 'postern',
    'service.version': version,
    'service.instance.id': instance,
  });
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(named)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  diag.disable();
  return new OpenTelemetry(provider.getTracer('postern', version), () => provider.shutdown());
}

class OpenTelemetry implements Tracing {
  readonly #tracer: Tracer;
  readonly #shutdown: () => Promise<void>;
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #current = new AsyncLocalStorage<Scope | undefined>();

  constructor(tracer: Tracer, shutdown: () => Promise<void>) {
    this.#tracer = tracer;
    this.#shutdown = shutdown;
  }

  begin(method: string, headers: Readonly<Record<string, string | string[] | undefined>>): RequestTrace {
    const parent = this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const attributes = { 'http.request.method': methodAttribute(method), 'url.scheme': 'http' };
    const span = this.#tracer.startSpan(methodAttribute(method), { kind: SpanKind.SERVER, attributes }, parent);
    const request = { isOpen: true, stages: 0 };
    const scope = { request, context: trace.setSpan(ROOT_CONTEXT, span) };
    return {
      traceId: span.spanContext().traceId,
      run: (handler) => this.#current.run(scope, handler),
      end: (name, more, isError) => {
        if (!request.isOpen) return;
        request.isOpen = false;
        span.updateName(name);
        setAttributes(span, more);
        if (request.stages > maxStages) span.setAttribute('postern.stages_without_span', request.stages - maxStages);
        if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  async stage<Result>(stage: Stage, run: (span: StageSpan | null) => Promise<Result>): Promise<Result> {
    const scope = this.#current.getStore();
    if (!scope?.request.isOpen || ++scope.request.stages > maxStages) return run(null);
    const kind = stage.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const span = this.#tracer.startSpan(stage.name, { kind }, scope.context);
    setAttributes(span, stage.attributes);
    const context = trace.setSpan(scope.context, span);
    const propagator = this.#propagator;
    const stageSpan: StageSpan = {
      set: (attributes) => setAttributes(span, attributes),
      get headers() {
        const headers: Record<string, string> = {};
        propagator.inject(context, headers, defaultTextMapSetter);
        return headers;
      },
    };
    try {
      return await this.#current.run({ request: scope.request, context }, () => run(stageSpan));
    } catch (error) {
      span.setAttribute('error.type', errorType(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  delivered({ webhook, event, attempt, outcome, status, startedAt, durationMs }: DeliveryAttempt): void {
    const span = this.#tracer.startSpan(
      'webhook delivery',
      { kind: SpanKind.CLIENT, startTime: startedAt },
      ROOT_CONTEXT,
    );
    setAttributes(span, {
      'http.request.method': 'POST',
      'http.response.status_code': status ?? undefined,
      'http.request.resend_count': attempt > 1 ? attempt - 1 : undefined,
      'error.type': outcome === 'delivered' ? undefined : status === null ? 'no_response' : String(status),
      'postern.webhook': webhook,
      'postern.event': event,
      'postern.outcome': outcome,
    });
    if (outcome !== 'delivered') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(startedAt + durationMs);
  }

  capture(): InTrace {
    const scope = this.#current.getStore();
    return (run) => this.#current.run(scope, run);
  }

  logFields(): { trace_id?: string } {
    const scope = this.#current.getStore();
    // Work that a request started may go on for days. It is not part of the request.
    const traceId = scope?.request.isOpen ? trace.getSpanContext(scope.context)?.traceId : undefined;
    return traceId === undefined ? {} : { trace_id: traceId };
  }

  close(): Promise<void> {
    return this.#shutdown();
  }
}

function setAttributes(span: Span, attributes: SpanAttributes): void {
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) span.setAttribute(name, value);
}

/** Describes an error by a word from a fixed set, because its message may contain anything. */
function errorType(error: unknown): string {
  if (error instanceof PosternError) return error.reason;
  return error instanceof Error ? error.name : 'unknown';
}

/** Logs once that the collector does not take spans, and once that it does again. */
class LoggedExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #logger: Logger;
  #lost = 0;

  constructor(exporter: SpanExporter, logger: Logger) {
    this.#exporter = exporter;
    this.#logger = logger;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#succeeded();
      else this.#failed(spans.length, result.error);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #failed(spans: number, error: Error | undefined): void {
    if (this.#lost === 0) {
      const advice = 'traces are lost until it is back; calls are not affected';
      this.#logger.warn({ reason: error && describe(error) }, `the collector of traces does not take them; ${advice}`);
    }
    this.#lost += spans;
  }

  #succeeded(): void {
    if (this.#lost > 0) this.#logger.warn({ lost: this.#lost }, 'the collector takes traces again');
    this.#lost = 0;
  }
}

/** Returns the code or the name of an error. The message of a refusal may contain the response of the collector. */
function describe(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' || typeof code === 'number' ? String(code) : error.name;
}

/** A logger for the packages. Addresses are removed from messages, because they may contain a password. */
function warningsTo(logger: Logger) {
  const warn = (text: string) => logger.warn(text.replace(/\S+:\/\/\S+/g, '<address>'));
  const ignore = () => {};
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}
