import { existsSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formatsPlugin from 'ajv-formats';

/** The part of an OpenAPI document that the check reads. */
// biome-ignore lint/suspicious/noExplicitAny: the document is foreign JSON
type Node = any;

const places = ['../../../shared/xapi/', '../../../../shared/xapi/'].map((folder) => new URL(folder, import.meta.url));
const file = places.map((place) => new URL('openapi-trimmed.json', place)).find((url) => existsSync(url));

/** X's OpenAPI document, or undefined if it is not on this machine. It is not part of the repository. */
const document: Node = file && JSON.parse(readFileSync(file, 'utf8'));
if (document === undefined) process.emitWarning('openapi-trimmed.json is absent, so nothing is checked against X');

/** Differences from the document that are meant. */
const meant: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/liked_tweets/, 'the trimmed document lacks the likes of a user, which X has'],
  [/query tweet\.fields is unknown/, 'the document has the newer vocabulary only'],
];

const checked = { requests: 0, answers: 0 };
export const checkedCalls = (): typeof checked => checked;

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

/** Returns what differs from X's document in a GET request, and in its answer if there is one, apart from meant differences. */
export function differencesFromX(url: string, answer?: { status: number; type: string; body: unknown }): string[] {
  if (document === undefined) return [];
  const { pathname, searchParams } = new URL(url);
  const paths = Object.keys(document.paths).toSorted((a, b) => a.split('{').length - b.split('{').length);
  const path = paths.find(
    (p) => document.paths[p].get && new RegExp(`^${p.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  );
  const operation = path && document.paths[path].get;
  checked.requests += 1;
  checked.answers += Number(answer !== undefined);
  const problems = operation
    ? [
        ...requestProblems(operation, path, pathname, searchParams),
        ...(answer ? answerProblems(operation, answer) : []),
      ]
    : [`no operation ${pathname}`];
  return problems.filter((problem) => !meant.some(([pattern]) => pattern.test(problem)));
}

function requestProblems(operation: Node, path: string, pathname: string, query: URLSearchParams): string[] {
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

function answerProblems({ responses }: Node, { status, type, body }: { status: number; type: string; body: unknown }) {
  const response = find(responses[status] ?? responses.default);
  const schema = response.content?.[type.split(';')[0] ?? '']?.schema;
  return schema === undefined
    ? [`answer ${status} of type ${type} is unexpected`]
    : wrongValues(schema, body, 'answer');
}
