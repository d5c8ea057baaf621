import type { ServerResponse } from 'node:http';
import { asPosternError } from '../../shared/errors/postern-error.ts';
import { localsOf } from './request-locals.ts';

const heartbeatMs = 15_000;
const keyCheckMs = 5_000;
/** A client that reads nothing for this long is disconnected. */
const patienceMs = 30_000;

/** Emitted on a response that has become a stream. It may stay open for days and no longer counts as a request in progress. */
export const streamOpened = Symbol('stream opened');

export interface EventStream {
  /** The frames. Each is complete. */
  frames: AsyncIterable<string>;
  /** Ends the frames. */
  end: () => void;
  /** Rejects with `unauthenticated` once the caller's key is not valid any more. */
  checkKey: () => Promise<unknown>;
  /** Returns the last frame of a stream that this service ends, with the reason. */
  frameOf: (reason: 'key_revoked' | 'slow_consumer' | 'unavailable') => string;
}

/** Writes Server-Sent Events until they end, or until the client no longer reads them (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
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
  // The caller may have hung up while the stream was opened.
  if (response.closed || response.destroyed) return end();
  response.statusCode = 200;
  response.setHeader('content-type', 'text/event-stream; charset=utf-8');
  // Otherwise proxies such as nginx would buffer the events.
  response.setHeader('x-accel-buffering', 'no');
  // A comment is sent at once, so that the client and the proxies in between see that the stream is open.
  response.write(': open\n\n');
  response.emit(streamOpened);
  const beating = setInterval(() => response.write(': \n\n'), heartbeatMs);
  const checking = setInterval(() => {
    checkKey().catch((error) => {
      if (asPosternError(error).code === 'unauthenticated') finish('key_revoked');
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
  } catch {
    finish('unavailable');
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
