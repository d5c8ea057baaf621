import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { useService } from '../support/use-service.ts';
import { openFiles } from './open-files.ts';
import { gif, mp4, png } from './pictures.ts';

const { service, ada, graphql } = await useService();
afterAll(() => expect(readdirSync(service.dataDir).filter((name) => name.startsWith('.media'))).toEqual([]));

const { url } = graphql.options;
const credentials = ada.headers;
const query = 'mutation ($file: Upload) { uploadMedia(input: { file: $file }) { mediaId mediaType size } }';
const one = { operations: { query, variables: { file: null } }, map: { 0: ['variables.file'] } };

interface Form {
  operations?: unknown;
  map?: unknown;
  files?: Record<string, Blob>;
}

interface Result {
  status: number;
  charged: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: its shape is the query's affair
  body: any;
}

async function send({ operations, map, files = {} }: Form, headers: Record<string, string> = {}): Promise<Result> {
  const form = new FormData();
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  if (operations !== undefined) form.set('operations', text(operations));
  if (map !== undefined) form.set('map', text(map));
  for (const [name, file] of Object.entries(files)) form.append(name, file, 'file');
  const accept = 'application/graphql-response+json';
  const response = await fetch(url, { method: 'POST', headers: { ...credentials, accept, ...headers }, body: form });
  const charged = response.headers.get('x-credits-charged');
  return { status: response.status, charged, body: await response.json() };
}

const blob = (bytes: Buffer, type = '') => new Blob([new Uint8Array(bytes)], { type });

test('a file is uploaded, and its tweet shows it', async () => {
  const bytes = png(60, 50);
  const { body, charged } = await send({ ...one, files: { 0: blob(bytes, 'image/png') } });
  expect(body.errors).toBeUndefined();
  expect(body.data.uploadMedia).toMatchObject({ mediaType: 'image/png', size: bytes.length });
  expect(charged).toBe('0.001');
  const tweet = 'tweet { media { type url width height durationMs } }';
  const creation = `mutation ($id: String!) { createTweet(input: { mediaIds: [$id] }) { text ${tweet} } }`;
  const { data } = await graphql.ask(creation, { id: body.data.uploadMedia.mediaId });
  const [media] = data.createTweet.tweet.media;
  expect(media).toMatchObject({ type: 'photo', width: 60, height: 50, durationMs: null });
  expect(Buffer.from(await (await fetch(media.url)).arrayBuffer()).equals(bytes)).toBe(true);
});

test('several files are assigned to the variables in `map`', async () => {
  const several = `mutation ($a: UploadMediaInput!, $b: UploadMediaInput!, $c: Upload) {
    a: uploadMedia(input: $a) { mediaType } b: uploadMedia(input: $b) { mediaType } c: uploadMedia(input: { file: $c }) { mediaType }
  }`;
  const { body } = await send({
    operations: { query: several, variables: { a: { file: null }, b: { file: null }, c: null } },
    map: { first: ['variables.a.file', 'variables.c'], second: ['variables.b.file'] },
    files: { first: blob(gif), second: blob(mp4(), 'video/mp4') },
  });
  expect(body.errors).toBeUndefined();
  const [animation, video] = [{ mediaType: 'image/gif' }, { mediaType: 'video/mp4' }];
  expect(body.data).toEqual({ a: animation, b: video, c: animation });
});

test('a file that is not a picture or has another type is refused with its field', async () => {
  const refusal = async (file: Blob) => (await send({ ...one, files: { 0: file } })).body.errors[0];
  const html = await refusal(blob(Buffer.from('<!doctype html><p>hello'), 'image/png'));
  const reason = 'its bytes are an HTML page, not image/png as its part of the request says';
  expect(html.message).toBe(`Malformed field: mediaData: ${reason}`);
  expect(html.extensions).toMatchObject({ code: 'BAD_USER_INPUT', status: 400 });
  expect((await refusal(blob(png(), 'image/gif'))).message).toMatch(/its bytes are image\/png, not image\/gif/);
  expect((await refusal(blob(Buffer.alloc(0)))).message).toMatch(/is empty/);
});

test('the same file under the same Idempotency-Key is uploaded once, another is refused', async () => {
  const headers = { 'idempotency-key': 'multipart-once' };
  const first = await send({ ...one, files: { 0: blob(png(9, 9)) } }, headers);
  const again = await send({ ...one, files: { 0: blob(png(9, 9)) } }, headers);
  expect(again.body.data).toEqual(first.body.data);
  const other = await send({ ...one, files: { 0: blob(png(8, 9)) } }, headers);
  expect(other.status).toBe(422);
});

test('without a key nothing is read: a form of another site could send none', async () => {
  expect((await send({ ...one, files: { 0: blob(png()) } }, { authorization: '' })).status).toBe(401);
});

const file = { 0: blob(png()) };
test.each([
  ['no operations', { map: one.map, files: file }, /operations and map before/],
  ['no map', { operations: one.operations, files: file }, /operations and map before/],
  ['no parts', {}, /no operations|could not be read/],
  ['a batch', { ...one, operations: [one.operations], files: file }, /with one operation/],
  ['broken JSON', { ...one, operations: '{', files: file }, /operations: is not valid JSON/],
  ['a file that map does not name', { ...one, files: { 1: blob(png()) } }, /a file that map does not contain/],
  ['a file missing', { ...one }, /refers to a file that is not in the request/],
  ['a place outside of variables', { ...one, map: { 0: ['query'] }, files: file }, /paths below variables/],
  ['a place that is not null', { ...one, map: { 0: ['variables.no'] }, files: file }, /paths below variables/],
  ['a place in a prototype', { ...one, map: { 0: ['variables.__proto__.x'] }, files: file }, /paths below variables/],
  ['a map of numbers', { ...one, map: { 0: 1 }, files: file }, /list of paths/],
  [
    'eleven files',
    {
      ...one,
      map: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [at, ['variables.file']])),
      files: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [at, blob(png())])),
    },
    /paths below variables|10 files/,
  ],
  ['large operations', { ...one, operations: { query: `# ${'x'.repeat(1_100_000)}` }, files: file }, /larger than/],
] as const)('a request with %s is refused', async (_what, form, reason) => {
  const { status, body } = await send(form as Form);
  expect([400, 413]).toContain(status);
  expect(body.errors[0].message).toMatch(reason);
});

test('a file is no value that JSON can have, nor one of a document', async () => {
  for (const [document, variables] of [
    [query, { file: 'a.png' }],
    [query, { file: { declaredType: null, sha256: '' } }],
    ['mutation { uploadMedia(input: { file: "a" }) { size } }', {}],
    ['mutation { uploadMedia(input: { mediaData: "" }) { size } }', {}],
  ] as const) {
    const { errors } = await graphql.ask(document, variables);
    expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
  }
});

test('a caller who hangs up in the middle of a file leaves nothing behind', async () => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.options.key}\r\nContent-Length: 1000000\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\n\r\n' +
      part('operations', JSON.stringify(one.operations)) +
      part('map', JSON.stringify(one.map)) +
      '--b\r\nContent-Disposition: form-data; name="0"; filename="a"\r\n\r\nhalf of it',
  );
  await new Promise((resolve) => setTimeout(resolve, 200));
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const after = await send({ ...one, files: { 0: blob(png()) } });
  expect(after.body.errors).toBeUndefined();
});

/** Sends raw bytes, because `fetch` always declares the types of a form's parts. */
function sendText(body: Buffer, headers: Record<string, string>, signal: AbortSignal | null = null): Promise<Response> {
  const all = { ...credentials, 'content-type': 'multipart/form-data; boundary=b', ...headers };
  return fetch(url, { method: 'POST', headers: all, body: new Uint8Array(body), signal });
}

const partOf = (name: string, value: Buffer | string, more = '') =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ]);
const formOf = (operations: unknown, map: unknown) =>
  Buffer.concat([
    partOf('operations', JSON.stringify(operations)),
    partOf('map', JSON.stringify(map)),
    partOf('0', png(), '; filename="a"'),
    Buffer.from('--b--\r\n'),
  ]);

test('the type of a file without a declared type is detected from its bytes', async () => {
  const response = await sendText(formOf(one.operations, one.map), {});
  expect(((await response.json()) as Result['body']).data.uploadMedia).toMatchObject({ mediaType: 'image/png' });
});

test('a packed body is refused, as a packed one of JSON is', async () => {
  const response = await sendText(formOf(one.operations, one.map), { 'content-encoding': 'gzip' });
  expect(response.status).toBe(415);
});

test.runIf(process.platform === 'linux')('a subscription keeps no file for as long as it goes on', async () => {
  const subscription = { query: 'subscription { events { __typename } }', variables: { file: null } };
  const leave = new AbortController();
  const response = await sendText(formOf(subscription, one.map), { accept: 'text/event-stream' }, leave.signal);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  await expect.poll(() => openFiles(`${service.dataDir}/.media-`)).toEqual([]);
  leave.abort();
});
