import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { arrayBuffer } from 'node:stream/consumers';
import { Ajv, type ValidateFunction } from 'ajv';
import formatsPlugin from 'ajv-formats';

/** The part of an OpenAPI document that the check reads. */
// biome-ignore lint/suspicious/noExplicitAny: the document is foreign JSON
type Node = any;

const places = ['../../../shared/xapi/', '../../../../shared/xapi/'].map((folder) => new URL(folder, import.meta.url));
const file = places.map((place) => new URL('openapi-trimmed.json', place)).find((url) => existsSync(url));

/** X's OpenAPI document, or undefined if it is not on this machine. It is not part of the repository. */
const document: Node = file && JSON.parse(readFileSync(file, 'utf8'));
/** Why a difference from the document is meant. `.ci/run` prints how often each was found. */
const meant: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/liked_tweets/, 'the trimmed document lacks the likes of a user, which X has'],
  [/no operation \w+ \/2\/users\/\d+\/(?:blocking|muting)/, 'the trimmed document lacks blocks and mutes'],
];

export interface CheckedRequest {
  method: string;
  /** The URL, or its path and query. */
  url: string;
  type?: string | undefined;
  /** The parsed body if `type` is JSON. */
  body?: unknown;
}

export interface CheckedAnswer {
  status: number;
  type: string;
  body: unknown;
}

const checked = { requests: 0, answers: 0 };
export const checkedCalls = (): typeof checked => checked;

const counts = process.env['X_CHECKS_FILE'];
const count = (what: string) => counts && appendFileSync(counts, `${what}\n`);

const absent = 'not checked, because openapi-trimmed.json is absent';
if (document === undefined) process.emitWarning(`requests and answers of X are ${absent}`);

/** OpenAPI 3.0 has `nullable`, which is no JSON schema. Properties that the document lacks are differences. */
const asSchema = (node: Node): Node =>
  JSON.parse(JSON.stringify(node), (key, value) => {
    if (key === '$ref') return `x${value}`;
    if (value?.nullable === true && typeof value.type === 'string') return { ...value, type: [value.type, 'null'] };
    return value?.type === 'object' && value.properties ? { additionalProperties: false, ...value } : value;
  });

const ajv = new Ajv({ strict: false, allErrors: true });
// The cast is needed because the plugin's types describe its CommonJS form.
(formatsPlugin as unknown as (target: Ajv) => void)(ajv);
if (document) ajv.addSchema({ $id: 'x', components: asSchema(document.components) });
const compiled = new Map<Node, ValidateFunction>();

function wrongValues(schema: Node, value: unknown, where: string): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(asSchema(schema));
  compiled.set(schema, validate);
  return validate(value)
    ? []
    : (validate.errors ?? []).map((error) => `${where}${error.instancePath} ${error.message}`);
}

const find = (node: Node): Node =>
  node.$ref === undefined
    ? node
    : node.$ref
        .slice(2)
        .split('/')
        .reduce((at: Node, key: string) => at[key], document);

// Paths without variables take precedence.
const paths = Object.keys(document?.paths ?? {}).toSorted((a, b) => a.split('{').length - b.split('{').length);

export const hasDocument = document !== undefined;

/** Returns what the document says about an operation of `operations.ts`, or undefined if it lacks the operation. */
export function documentedOperation(name: string) {
  for (const path of paths) {
    for (const [method, operation] of Object.entries<Node>(document.paths[path])) {
      if (operation.operationId !== name) continue;
      const scopes = operation.security.find((each: Node) => each.OAuth2UserToken)?.OAuth2UserToken;
      const query: Node[] = operation.parameters?.map(find).filter((parameter: Node) => parameter.in === 'query') ?? [];
      const sizes = query.find((parameter) => parameter.name === 'max_results')?.schema;
      return {
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/g, '{}'),
        query: query.map((parameter) => String(parameter.name)),
        sizes: sizes && [sizes.minimum, sizes.maximum],
        scopes: scopes as string[] | undefined,
      };
    }
  }
  return undefined;
}

/** Reads the part of a request that is checked. */
export async function readRequest(request: IncomingMessage): Promise<CheckedRequest & { bytes: ArrayBuffer }> {
  const { method = '', url = '', headers } = request;
  const bytes = await arrayBuffer(request);
  const type = headers['content-type'];
  const body = type?.startsWith('application/json') ? JSON.parse(Buffer.from(bytes).toString()) : undefined;
  return { method, url, type, body, bytes };
}

/** Returns what differs from X's document in a request, and in its answer if there is one, apart from meant differences. */
export function differencesFromX(request: CheckedRequest, answer?: CheckedAnswer): string[] {
  if (document === undefined) {
    count(`requests ${absent}`);
    return [];
  }
  const { pathname, searchParams } = new URL(request.url, 'http://x');
  const method = request.method.toLowerCase();
  const path = paths.find(
    (p) => document.paths[p][method] && new RegExp(`^${p.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  const operation = path && document.paths[path][method];
  checked.requests += 1;
  checked.answers += Number(answer !== undefined);
  count('requests');
  if (answer) count('answers');
  const problems = operation
    ? [
        ...queryProblems(operation, path, pathname, searchParams),
        ...bodyProblems(operation, request),
        ...(answer ? answerProblems(operation, answer) : []),
      ]
    : [`no operation ${request.method} ${pathname}`];
  return problems.filter((problem) => {
    const [, why] = meant.find(([pattern]) => pattern.test(problem)) ?? [];
    if (why) count(`meant differences: ${why}`);
    return why === undefined;
  });
}

/** The document has the newer vocabulary only, so a request that mixes both has an unknown name. */
function queryProblems(operation: Node, path: string, pathname: string, query: URLSearchParams): string[] {
  const parameters: Node[] = (operation.parameters ?? []).map(find);
  const isKnown = (name: string) => parameters.some((parameter) => parameter.in === 'query' && parameter.name === name);
  const unknown = [...query.keys()].filter((name) => !isKnown(name)).map((name) => `query ${name} is unknown`);
  const wrong = parameters.flatMap(({ name, in: place, required, schema }) => {
    const segment = pathname.split('/')[path.split('/').indexOf(`{${name}}`)] ?? '';
    const raw = place === 'query' ? query.get(name) : decodeURIComponent(segment);
    if (raw === null) return required ? [`${place} ${name} is missing`] : [];
    const kind = find(schema).type;
    const value = kind === 'array' ? raw.split(',') : kind === 'integer' ? Number(raw) : raw;
    return wrongValues(schema, value, `${place} ${name}`);
  });
  return [...unknown, ...wrong];
}

function bodyProblems({ requestBody }: Node, { type, body }: CheckedRequest): string[] {
  const { required = false, content = {} } = requestBody === undefined ? {} : find(requestBody);
  if (type === undefined) return required ? ['body is missing'] : [];
  const media = type.split(';')[0] ?? '';
  if (content[media] === undefined) return [`body of type ${media} is unexpected`];
  return media === 'application/json' ? wrongValues(content[media].schema, body, 'body') : [];
}

function answerProblems({ responses }: Node, { status, type, body }: CheckedAnswer) {
  const response = find(responses[status] ?? responses.default);
  const schema = response.content?.[type.split(';')[0] ?? '']?.schema;
  return schema === undefined
    ? [`answer ${status} of type ${type} is unexpected`]
    : wrongValues(schema, body, 'answer');
}
