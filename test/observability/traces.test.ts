import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { makeLogger } from '../../src/shared/observability/logger.ts';
import { openTelemetry } from '../../src/shared/observability/open-telemetry.ts';
import { listen as listenOn, startForwardProxy } from '../proxy/forward-proxy.ts';
import { Client } from '../support/client.ts';
import { type Demo, readDemo } from '../support/demo.ts';
import { startPostern } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type ReceivedSpan, startTraceCollector } from '../support/trace-collector.ts';
import { register, secret } from '../webhooks/fixture.ts';

const folder = temporaryFolder();
const word = 'Meadowlark';
const proxyAccess = { user: 'someone', password: 'Pa55-of-the-proxy' };

const newTrace = () => randomBytes(16).toString('hex');
const callerSpan = '00f067aa0ba902b7';
const within = (traceId: string, flags = '01') => ({ traceparent: `00-${traceId}-${callerSpan}-${flags}` });
const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);
const one = (spans: readonly ReceivedSpan[], name: string) => {
  expect(named(spans, name), spans.map((span) => span.name).join(', ')).toHaveLength(1);
  return named(spans, name)[0] as ReceivedSpan;
};

async function startGateway(env: Record<string, string>, name: string) {
  const dataDir = join(folder, name);
  const started = startPostern(['serve'], {
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'info',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...env,
  });
  await started.printed(/listening on (http:\/\/\S+)\n/);
  return { started, access: readDemo(dataDir) };
}

function demoClient({ baseUrl, apiKey, accounts }: Demo) {
  return new Client({ baseUrl, key: apiKey, authToken: accounts[0].authToken });
}

const [collector, sandbox, proxy, receiver] = await Promise.all([
  startTraceCollector(),
  startSandbox({ port: 0, dataDir: join(folder, 'sandbox'), activity: false }),
  startForwardProxy(proxyAccess),
  startReceiver({ secret }),
]);
const { port, hostname } = new URL(sandbox.url);
/** Passes all bytes between the gateway and the sandbox on, and keeps them. */
const relay = await listenOn((socket, heard) => {
  const behind = connect(Number(port), hostname);
  behind.on('error', () => socket.destroy());
  socket.on('data', heard).on('close', () => behind.destroy());
  socket.pipe(behind).pipe(socket);
});
const { started: gateway, access: demo } = await startGateway(
  {
    PLATFORM_URL: `http://${relay.name}`,
    PLATFORM_KIND: 'sandbox',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-token=0f-the-collector',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
  },
  'traced',
);
const client = demoClient(demo);
const credentials = { authorization: `Bearer ${demo.apiKey}`, 'x-auth-token': demo.accounts[0].authToken };
const json = { ...credentials, 'content-type': 'application/json' };

afterAll(async () => {
  if (gateway.child.exitCode === null) await gateway.end('SIGTERM');
  await sandbox.close();
});

describe('the trace of a request', () => {
  test('of a read over REST continues that of the caller, with a span for each stage', async () => {
    const traceId = newTrace();
    const answer = await client.get('/tweet/advanced_search', { q: `${word} from:ada` }, within(traceId));
    expect(answer.status).toBe(200);
    const spans = await collector.trace(traceId, 'GET /v1/tweet/advanced_search');
    const request = one(spans, 'GET /v1/tweet/advanced_search');
    expect(request).toMatchObject({
      parentSpanId: callerSpan,
      kind: 2,
      attributes: {
        'http.request.method': 'GET',
        'http.route': '/v1/tweet/advanced_search',
        'http.response.status_code': 200,
        'postern.action': 'tweet/advanced_search',
        'postern.request_id': answer.headers.get('x-request-id'),
        'postern.charged_micros': 1_000,
      },
    });
    const [platform] = spans.filter(({ name }) => name.startsWith('platform '));
    expect(platform).toMatchObject({
      kind: 3,
      parentSpanId: request.spanId,
      attributes: { 'http.response.status_code': 200, 'server.address': '127.0.0.1', 'postern.proxy': false },
    });
    const settled = one(spans, 'billing settle');
    expect(settled).toMatchObject({ parentSpanId: request.spanId, attributes: { 'postern.micros': 1_000 } });
    const commits = named(spans, 'store ledger.commit');
    expect(commits.at(-1)).toMatchObject({
      parentSpanId: settled.spanId,
      attributes: { 'db.system.name': 'sqlite', 'db.operation.name': 'ledger.commit' },
    });
    expect(relay.heard()).toContain(`traceparent: 00-${traceId}-${platform?.spanId}-01`);
    await expect.poll(() => gateway.log()).toContain(`"trace_id":"${traceId}"`);
  });

  test('of a write has its reservation, and no text of the caller', async () => {
    const traceId = newTrace();
    const text = `${word} sings`;
    expect((await client.post('/tweet/create', { text }, within(traceId))).status).toBe(200);
    const spans = await collector.trace(traceId, 'POST /v1/tweet/create');
    for (const name of ['billing reserve', 'billing settle']) one(spans, name);
    expect(named(spans, 'store ledger.commit').length).toBeGreaterThan(0);
  });

  test('of a GraphQL query has all platform calls of its nested fields', async () => {
    const traceId = newTrace();
    const query = `query Nested { user(userName: "ada") { name tweets(first: 3) { nodes { author { name } replies(first: 2) { nodes { author { description } } } } } } }`;
    const init = { headers: { ...json, ...within(traceId) }, body: JSON.stringify({ query }) };
    expect(await (await fetch(demo.graphqlUrl, { method: 'POST', ...init })).json()).not.toHaveProperty('errors');
    const spans = await collector.trace(traceId, 'POST /graphql');
    const request = one(spans, 'POST /graphql');
    expect(request.attributes).toMatchObject({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Nested',
      'http.route': '/graphql',
    });
    const platform = spans.filter(({ name }) => name.startsWith('platform '));
    expect(platform.length).toBeGreaterThan(3);
    expect(platform.every(({ parentSpanId }) => parentSpanId === request.spanId)).toBe(true);
    one(spans, 'billing reserve');
  });

  test('of a tool that an agent calls has the action and its stages', async () => {
    const traceId = newTrace();
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'user_info', arguments: { userName: 'linus' } },
    };
    const response = await fetch(`${new URL(demo.baseUrl).origin}/mcp`, {
      method: 'POST',
      headers: { ...json, accept: 'application/json, text/event-stream', ...within(traceId) },
      body: JSON.stringify(message),
    });
    expect(await response.text()).toContain('linus');
    const spans = await collector.trace(traceId, 'POST /mcp');
    expect(one(spans, 'POST /mcp').attributes).toMatchObject({ 'postern.action': 'user/info', 'http.route': '/mcp' });
    expect(spans.filter(({ name }) => name.startsWith('platform '))).toHaveLength(1);
    one(spans, 'billing settle');
  });

  test('of a refused request has the reason', async () => {
    const traceId = newTrace();
    const poor = client.with({ key: 'not-a-key' });
    expect((await poor.get('/tweet/advanced_search', { q: word }, within(traceId))).status).toBe(401);
    const [span] = await collector.trace(traceId, 'GET /v1/tweet/advanced_search');
    expect(span?.attributes).toMatchObject({ 'http.response.status_code': 401, 'postern.reason': expect.any(String) });
    expect(span?.status.code ?? 0).toBe(0);
  });

  test('of a call that the platform fails has the failed stage, and all of its log lines have the id', async () => {
    const control = new SandboxControl(sandbox.url);
    await control.setFault({ fault: { kind: 'status', status: 500 }, operation: 'getUsersByUsername', times: 1 });
    const traceId = newTrace();
    expect((await client.get('/user/info', { userName: 'grace' }, within(traceId))).status).toBe(502);
    const spans = await collector.trace(traceId, 'GET /v1/user/info');
    const [platform] = spans.filter(({ name }) => name.startsWith('platform '));
    expect(platform).toMatchObject({
      attributes: { 'http.response.status_code': 500, 'error.type': 'platform_failed' },
      status: { code: 2 },
    });
    expect(one(spans, 'GET /v1/user/info')).toMatchObject({
      attributes: { 'error.type': 'platform_failed', 'postern.charged_micros': 0 },
      status: { code: 2 },
    });
    const lines = () =>
      gateway
        .log()
        .split('\n')
        .filter((line) => line.includes(traceId))
        .map((line) => JSON.parse(line).msg);
    await expect.poll(lines).toEqual([expect.stringContaining('The platform failed'), 'request']);
    await control.clearFaults();
  });

  test('has a limited number of stages, and the number of the others', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.endpoint);
    onTestFinished(() => void vi.unstubAllEnvs());
    const logger = makeLogger({ level: 'silent', format: 'json' });
    const tracing = await openTelemetry({ protocol: 'http/json', version: '1', instance: 'here', logger });
    const trace = tracing.begin('GET', {});
    let ran = 0;
    await new Promise<void>((resolve) =>
      trace.run(async () => {
        const stage = { name: 'stage', kind: 'internal', attributes: {} } as const;
        for (let count = 0; count < 510; count++) await tracing.stage(stage, async () => void ran++);
        resolve();
      }),
    );
    trace.end('GET', {}, false);
    await tracing.close();
    const spans = await collector.trace(trace.traceId, 'GET');
    expect(ran).toBe(510);
    expect(one(spans, 'GET').attributes['postern.stages_without_span']).toBe(10);
    expect(named(spans, 'stage')).toHaveLength(500);
  });

  test('of a stream arrives while the stream is open', async () => {
    const traceId = newTrace();
    const ending = new AbortController();
    const headers = { ...credentials, ...within(traceId) };
    const response = await fetch(`${demo.baseUrl}/events`, { headers, signal: ending.signal });
    expect(response.status).toBe(200);
    const spans = await collector.trace(traceId, 'GET /v1/events');
    one(spans, 'GET /v1/events');
    ending.abort();
  });

  test('is not mixed with those of concurrent requests', async () => {
    const traces = Array.from({ length: 20 }, newTrace);
    const answers = await Promise.all(
      traces.map((traceId) => client.get('/user/info', { userName: 'grace' }, within(traceId))),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    for (const traceId of traces) {
      const spans = await collector.trace(traceId, 'GET /v1/user/info');
      expect(spans.filter(({ name }) => name.startsWith('platform '))).toHaveLength(1);
      one(spans, 'billing settle');
    }
  });

  test('is not exported if the caller did not sample it', async () => {
    const [left, taken] = [newTrace(), newTrace()];
    await client.get('/user/info', { userName: 'grace' }, within(left, '00'));
    await client.get('/user/info', { userName: 'grace' }, within(taken));
    await collector.trace(taken, 'GET /v1/user/info');
    expect(collector.spans.filter(({ traceId }) => traceId === left)).toEqual([]);
  });
});

describe('traceparent', () => {
  test("is not sent through a caller's proxy", async () => {
    const traceId = newTrace();
    const query = { userName: 'linus', proxy: proxy.url };
    expect((await client.get('/user/info', query, within(traceId))).status).toBe(200);
    const spans = await collector.trace(traceId, 'GET /v1/user/info');
    const platform = spans.find(({ name }) => name.startsWith('platform '));
    expect(platform?.attributes['postern.proxy']).toBe(true);
    expect(proxy.heard()).toContain('linus');
    expect(proxy.heard()).not.toContain('traceparent');
    expect(proxy.heard()).not.toContain(traceId);
  });

  test('is not sent to receivers, and a delivery has a trace of its own', async () => {
    const control = new SandboxControl(sandbox.url);
    const account = await control.mint();
    const owner = client.with({ authToken: account.authToken });
    const traceId = newTrace();
    const { id } = await register(owner, { url: receiver.url });
    await control.makeEvents({ type: 'follow', userName: account.userName });
    const delivered = () =>
      collector.spans.filter(({ attributes }) => attributes['postern.webhook'] === id && attributes['postern.event']);
    await expect.poll(delivered).toHaveLength(1);
    expect(delivered()[0]).toMatchObject({
      name: 'webhook delivery',
      kind: 3,
      attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200, 'postern.outcome': 'delivered' },
    });
    expect(delivered()[0]?.parentSpanId ?? '').toBe('');
    expect(delivered()[0]?.traceId).not.toBe(traceId);
    expect(receiver.requests.every(({ headers }) => headers['traceparent'] === undefined)).toBe(true);
  });
});

test('spans have no secret, no text and no address of a receiver, and go where OTEL variables say', async () => {
  const sent = collector.requests.map(({ body }) => body.toString()).join('\n');
  expect(sent).not.toContain(word);
  const secrets = [demo.apiKey, ...demo.accounts.map(({ authToken }) => authToken), proxyAccess.password, secret];
  for (const each of [...secrets, new URL(receiver.url).host, '/hook', 'userName']) expect(sent).not.toContain(each);
  expect(gateway.log()).not.toContain('0f-the-collector');
  expect(collector.requests.every(({ url }) => url === '/v1/traces')).toBe(true);
  expect(collector.requests[0]?.headers['x-collector-token']).toBe('0f-the-collector');
  expect(collector.resource).toMatchObject({
    'service.name': 'postern',
    'service.version': expect.stringMatching(/^\d/),
    'deployment.environment': 'test',
  });
  expect(gateway.log()).toContain('traces are exported');
  expect(gateway.output()).toContain('the collector that gets traces');
});

test('the last spans are sent when the service stops', async () => {
  const traceId = newTrace();
  await client.get('/user/info', { userName: 'grace' }, within(traceId));
  expect(await gateway.end('SIGTERM')).toBe(0);
  one(await collector.trace(traceId, 'GET /v1/user/info'), 'GET /v1/user/info');
});

describe('a collector', () => {
  test('that hangs delays neither calls nor the end of the service', async () => {
    const hanging = await startTraceCollector({ hangs: true });
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: hanging.endpoint,
      OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      SANDBOX_PORT: '0',
    };
    const { started, access } = await startGateway(env, 'hanging');
    const caller = demoClient(access);
    expect((await caller.get('/user/info', { userName: 'grace' })).status).toBe(200);
    await expect.poll(() => hanging.requests.length).toBeGreaterThan(0);
    expect((await caller.get('/user/info', { userName: 'grace' })).status).toBe(200);
    expect(await started.end('SIGTERM')).toBe(0);
    expect(hanging.requests[0]?.headers['content-type']).toBe('application/x-protobuf');
  });

  test('that is away is logged once, and once when it is back', async () => {
    const gone = await startTraceCollector();
    await gone.stop();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: gone.endpoint, OTEL_EXPORTER_OTLP_TIMEOUT: '100', SANDBOX_PORT: '0' };
    const { started, access } = await startGateway(env, 'away');
    const caller = demoClient(access);
    const messages = () => started.log().match(/does not take them|takes traces again/g) ?? [];
    await caller.get('/user/info', { userName: 'grace' });
    await expect.poll(messages).toEqual(['does not take them']);
    // Several more batches fail.
    for (let count = 0; count < 20; count++) {
      expect((await caller.get('/user/info', { userName: 'grace' })).status).toBe(200);
    }
    expect(messages()).toEqual(['does not take them']);
    const back = await startTraceCollector({ port: Number(new URL(gone.endpoint).port) });
    // Only the first two messages are compared, because on a busy machine a later export may exceed the 100 ms again.
    await expect
      .poll(async () => {
        await caller.get('/user/info', { userName: 'grace' });
        return messages().slice(0, 2);
      })
      .toEqual(['does not take them', 'takes traces again']);
    expect(await started.end('SIGTERM')).toBe(0);
    expect(back.requests.length).toBeGreaterThan(0);
  });
});

describe('without OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  const service = fileURLToPath(new URL('../../dist/service/', import.meta.url));
  /** Returns the files that loading these files loads at once, without `import()`. */
  const loadedWith = (files: readonly string[], found = new Set<string>()) => {
    for (const file of files.filter((each) => !found.has(each))) {
      found.add(file);
      const code = readFileSync(join(service, file), 'utf8');
      const imported = [...code.matchAll(/^(?:import|export)\b[^;]*?"\.\/([^"]+)";/gm)];
      loadedWith(
        imported.map(([, name = '']) => name),
        found,
      );
    }
    return [...found];
  };
  const holdsSdk = (file: string) => readFileSync(join(service, file), 'utf8').includes('_maxExportBatchSize');

  test('the service loads nothing of the SDK', () => {
    // A build keeps the files of the previous one for a day.
    const built = statSync(join(service, 'postern.js')).mtimeMs;
    const files = readdirSync(service).filter(
      (file) => file.endsWith('.js') && statSync(join(service, file)).mtimeMs === built,
    );
    const eager = loadedWith(files.filter((file) => /^(?:postern|serve-.*|worker-.*|store-.*)\.js$/.test(file)));
    expect(eager.length).toBeGreaterThan(20);
    expect(files.filter(holdsSdk).length).toBeGreaterThan(0);
    expect(eager.filter(holdsSdk)).toEqual([]);
  });
});
