/**
 * An item of an event stream. A `gap` says that the reader may have missed events that are no longer kept. If the gap has an id, the
 * reader can continue after that id.
 */
export type StreamItem =
  | { kind: 'event'; id: string; type: string; body: string }
  | { kind: 'gap'; id: string | null; reason: string };

/** An event stream that is open until its reader or this process ends it. */
export interface LiveStream {
  readonly items: AsyncIterable<StreamItem>;
  end(): void;
}
