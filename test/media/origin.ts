import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Page = (response: ServerResponse, request: IncomingMessage) => void;

/** An HTTP server on loopback that serves images and videos to a test and records every request. */
export interface Origin {
  url: string;
  port: number;
  asked: IncomingMessage[];
  /** Adds a page and returns its URL. */
  at(path: string, page: Page): string;
  /** Adds a file with the correct headers and returns its URL. */
  serve(path: string, bytes: Buffer, type?: string): string;
  close(): Promise<void>;
}

export async function startOrigin(): Promise<Origin> {
  const pages = new Map<string, Page>();
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    const page = pages.get((request.url ?? '').split('?', 1)[0] ?? '');
    if (page) page(response, request);
    else response.writeHead(404).end('nothing here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const at = (path: string, page: Page) => {
    pages.set(path, page);
    return url + path;
  };
  return {
    url,
    port,
    asked,
    at,
    serve: (path, bytes, type) =>
      at(path, (response) => {
        response.writeHead(200, {
          'content-length': bytes.length,
          ...(type !== undefined && { 'content-type': type }),
        });
        response.end(bytes);
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
