import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { originOf } from '../support/listen.ts';

type Page = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts an HTTP server on loopback that serves images and videos until the test or file ends, and records every request. */
export async function startOrigin() {
  const pages = new Map<string, Page>();
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const page = pages.get((request.url ?? '').split('?', 1)[0] ?? '');
    if (page) page(response, request);
    else response.writeHead(404).end('nothing here');
  });
  const url = await originOf(server);
  /** Adds a page and returns its URL. */
  const at = (path: string, page: Page) => {
    pages.set(path, page);
    return url + path;
  };
  return {
    url,
    asked,
    at,
    /** Adds a file with the correct headers and returns its URL. */
    serve: (path: string, bytes: Buffer, type?: string) =>
      at(path, (response) => {
        const headers = { 'content-length': bytes.length, ...(type !== undefined && { 'content-type': type }) };
        response.writeHead(200, headers).end(bytes);
      }),
  };
}
