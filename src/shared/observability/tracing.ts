/** The attributes of a span. They never contain a credential, a text of a user, a query or the URL of a receiver. */
export type SpanAttributes = Record<string, string | number | boolean | undefined>;

/** A part of a request that gets its own span. */
export interface Stage {
  /** A name from a fixed set, such as `store keys.find`. */
  readonly name: string;
  /** `client` if the stage is a request to another system. */
  readonly kind: 'internal' | 'client';
  readonly attributes: SpanAttributes;
}

export interface StageSpan {
  set(attributes: SpanAttributes): void;
  /** The `traceparent` and `tracestate` headers for a system of the operator. Never send them to anyone else. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The trace of one request. */
export interface RequestTrace {
  readonly traceId: string;
  /** Runs the handler of the request. Stages in it, and in everything that it awaits, belong to the request. */
  run(handler: () => void): void;
  /** Ends the span of the request. Later stages are not recorded. Only the first call has an effect. */
  end(name: string, attributes: SpanAttributes, isError: boolean): void;
}

/** One attempt to deliver an event to the receiver of a webhook. */
export interface DeliveryAttempt {
  readonly webhook: string;
  readonly event: string;
  readonly attempt: number;
  readonly outcome: 'delivered' | 'retrying' | 'given_up';
  /** The status of the response; `null` if there was none. */
  readonly status: number | null;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Runs a function in the trace that was current when this function was made. */
export type InTrace = <Result>(run: () => Result) => Result;

/** Records requests and deliveries as traces. It exists only if traces are exported, so that nothing is spent on them otherwise. */
export interface Tracing {
  /** Begins the trace of a request, or continues that of its `traceparent` header. */
  begin(method: string, headers: Readonly<Record<string, string | string[] | undefined>>): RequestTrace;
  /**
   * Runs a stage and records it as a span of the current request. The span of a stage that fails is marked as failed. A
   * stage runs without a span outside of a request, after the response has ended, and after the maximum number of stages of a request.
   */
  stage<Result>(stage: Stage, run: (span: StageSpan | null) => Promise<Result>): Promise<Result>;
  /** Records a delivery attempt as a trace of its own. */
  delivered(attempt: DeliveryAttempt): void;
  /** Keeps the current trace for work that a queue starts later. */
  capture(): InTrace;
  /** Returns the fields that log lines of the current request get. */
  logFields(): { trace_id?: string };
  /** Sends the spans that wait. It may take as long as the collector. */
  close(): Promise<void>;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'CONNECT', 'TRACE']);

/** Returns the method of a request as an attribute. Unknown methods are `_OTHER`, because callers can invent any. */
export function methodAttribute(method: string | undefined): string {
  return method !== undefined && knownMethods.has(method) ? method : '_OTHER';
}
