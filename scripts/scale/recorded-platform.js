// A platform that repeats the answers of a sandbox. It passes each request on once and answers it from memory afterwards, because the sandbox
// would need more processor time for a call than the gateway that is measured. The feeds of activity are always passed on.
// Usage: recorded-platform.js URL
import { Agent, createServer, request as send } from 'node:http';

const [sandbox] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const recorded = new Map();

const server = createServer((request, response) => {
  const name = `${request.method} ${request.url} ${request.headers.cookie ?? ''}`;
  const known = recorded.get(name);
  if (known) {
    request.resume();
    return response.writeHead(200, known.headers).end(known.body);
  }
  const { method, headers } = request;
  const passed = send(sandbox + request.url, { method, headers: { ...headers, host: new URL(sandbox).host }, agent });
  passed.once('response', (answer) => {
    const chunks = [];
    answer.on('data', (chunk) => chunks.push(chunk));
    answer.once('end', () => {
      const body = Buffer.concat(chunks);
      if (answer.statusCode === 200 && isRepeatable(request.url)) {
        const type = answer.headers['content-type'] ?? 'application/json';
        recorded.set(name, { body, headers: { 'content-type': type, 'content-length': body.length } });
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
    });
  });
  passed.once('error', () => response.destroy());
  // A request for activity waits at the sandbox until the gateway gives it up.
  response.once('close', () => passed.destroy());
  request.pipe(passed);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`));

function isRepeatable(url) {
  return url.startsWith('/api/') && !url.startsWith('/api/activity');
}
