import type { ServerResponse } from 'node:http';
import { asPosternError, isConnectionFailure } from '../../shared/errors/postern-error.ts';
import { localsOf, showRate } from './request-locals.ts';

const heartbeatMs = 15_000;
const keyCheckMs = 5_000;
/** A client that reads nothing for this many milliseconds is disconnected. */
const patienceMs = 30_000;

/** Emitted on a response when it becomes a stream. A stream may stay open for days, so it does not count as a request in progress. */
export const streamOpened = Symbol('stream opened');

export interface EventStream {
  /** Complete Server-Sent Events frames. */
  frames: AsyncIterable<string>;
  /** Ends the iteration of `frames`. */
  end: () => void;
  /** Rejects with `unauthenticated` if the caller's key was revoked or has expired. */
  checkKey: () => Promise<unknown>;
  /** Returns the last frame of a stream that this service ends, which contains the reason. */
  frameOf: (reason: 'key_revoked' | 'key_expired' | 'connection_ended' | 'slow_consumer' | 'unavailable') => string;
}

/**
 * Writes Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html) until the frames end or the client stops
 * reading.
 */
export async function sendEventStream(response: ServerResponse, stream: EventStream): Promise<void> {
  const { frames, end, checkKey, frameOf } = stream;
  const stop = () => {
    end();
    clearInterval(beating);
    clearInterval(checking);
  };
  const finish = (reason: Parameters<typeof frameOf>[0]) => {
    stop();
    localsOf(response).streamEnd = reason;
    if (!response.writableEnded) response.end(frameOf(reason));
  };
  response.once('close', end);
  // The caller may have disconnected while the stream was being opened.
  if (response.closed || response.destroyed) return end();
  response.statusCode = 200;
  showRate(response);
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  // Proxies such as nginx would buffer the events without this header.
  response.setHeader('x-accel-buffering', 'no');
  // A comment is sent at once, so that the client and the proxies in between see that the stream is open.
  response.write(': open\n\n');
  response.emit(streamOpened);
  const beating = setInterval(() => response.write(': \n\n'), heartbeatMs);
  const checking = setInterval(() => {
    checkKey().catch((thrown) => {
      const { code, reason } = asPosternError(thrown);
      if (code === 'unauthenticated') finish(reason === 'key_expired' ? reason : 'key_revoked');
    });
  }, keyCheckMs);
  try {
    for await (const frame of frames) {
      // A write after the end would emit an error that nothing handles.
      if (response.writableEnded) return;
      if (response.write(frame) || response.closed) continue;
      if (!(await drained(response))) return finish('slow_consumer');
    }
    response.end();
  } catch (error) {
    finish(isConnectionFailure(error) ? 'connection_ended' : 'unavailable');
  } finally {
    stop();
  }
}

function drained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDrained: boolean) => {
      clearTimeout(timer);
      response.off('drain', over).off('close', over);
      resolve(isDrained);
    };
    const over = () => settle(true);
    const timer = setTimeout(() => settle(false), patienceMs);
    response.once('drain', over).once('close', over);
  });
}
