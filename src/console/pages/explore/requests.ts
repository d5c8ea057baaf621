import { prepare } from '../../api.ts';

/** A call that the explorer makes and shows. */
export interface ExplorerCall {
  /** The name of the action, such as `tweet/detail`. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** True if the call needs the encryption code of the actor. */
  readonly takesCode?: boolean;
}

/** The credentials in code to copy. An environment variable replaces a credential that is `null`. */
export interface ShownCredentials {
  readonly apiKey: string | null;
  readonly authToken: string | null;
  readonly encryptionCode: string | null;
}

export const languages = ['curl', 'JavaScript', 'Python'] as const;
export type Language = (typeof languages)[number];

interface Header {
  readonly name: string;
  readonly prefix: string;
  readonly value: string | null;
  readonly variable: string;
}

function headersOf({ takesCode = false }: ExplorerCall, credentials: ShownCredentials): readonly Header[] {
  const { apiKey, authToken, encryptionCode } = credentials;
  return [
    { name: 'Authorization', prefix: 'Bearer ', value: apiKey, variable: 'POSTERN_API_KEY' },
    { name: 'x-auth-token', prefix: '', value: authToken, variable: 'POSTERN_AUTH_TOKEN' },
    ...(takesCode
      ? [{ name: 'x-encryption-code', prefix: '', value: encryptionCode, variable: 'POSTERN_ENCRYPTION_CODE' }]
      : []),
  ];
}

/** Returns code that makes the same request as the explorer, which also uses `prepare`. */
export function requestText(
  language: Language,
  call: ExplorerCall,
  credentials: ShownCredentials,
  origin: string,
): string {
  const { method, path, body } = prepare(call.name, call.input);
  const write = { curl: curlText, JavaScript: javaScriptText, Python: pythonText }[language];
  return write({ method, url: origin + path, body, headers: headersOf(call, credentials) });
}

interface WrittenRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | null;
  readonly headers: readonly Header[];
}

function curlText({ method, url, body, headers }: WrittenRequest): string {
  const lines = [`curl ${method === 'GET' || method === 'POST' ? '' : `-X ${method} `}${shellWord(url)}`];
  for (const { name, prefix, value, variable } of headers) {
    lines.push(`-H ${value === null ? `"${name}: ${prefix}$${variable}"` : shellWord(`${name}: ${prefix}${value}`)}`);
  }
  if (body !== null) lines.push("-H 'Content-Type: application/json'", `-d ${shellWord(body)}`);
  else if (method === 'POST') lines.push("-d ''");
  return lines.join(' \\\n  ');
}

function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function javaScriptText({ method, url, body, headers }: WrittenRequest): string {
  const fields = headers.map(({ name, prefix, value, variable }) => {
    const text = value === null ? `\`${prefix}\${process.env.${variable}}\`` : JSON.stringify(prefix + value);
    return `    ${JSON.stringify(name)}: ${text},`;
  });
  if (body !== null) fields.push('    "Content-Type": "application/json",');
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    '  headers: {',
    ...fields,
    '  },',
    ...(body === null ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(JSON.parse(body), null, 2))}),`]),
    '});',
    'console.log(await response.json());',
  ].join('\n');
}

function pythonText({ method, url, body, headers }: WrittenRequest): string {
  const fields = headers.map(({ name, prefix, value, variable }) => {
    const text =
      value !== null
        ? JSON.stringify(prefix + value)
        : prefix === ''
          ? `os.environ["${variable}"]`
          : `${JSON.stringify(prefix)} + os.environ["${variable}"]`;
    return `        ${JSON.stringify(name)}: ${text},`;
  });
  const takesVariables = headers.some(({ value }) => value === null);
  return [
    ...(takesVariables ? ['import os', ''] : []),
    'import requests',
    '',
    'response = requests.request(',
    `    ${JSON.stringify(method)},`,
    `    ${JSON.stringify(url)},`,
    '    headers={',
    ...fields,
    '    },',
    ...(body === null ? [] : [`    json=${pythonValue(JSON.parse(body))},`]),
    ')',
    'print(response.json())',
  ].join('\n');
}

function pythonValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${pythonValue(field)}`);
  return `{${fields.join(', ')}}`;
}

const indented = (text: string) => text.replaceAll('\n', '\n  ');
