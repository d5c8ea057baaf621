import { styleText } from 'node:util';
import { formatDollars, type Micros } from '../model/money.ts';
import { printable } from '../model/printable.ts';

type Line = Readonly<Record<string, unknown>>;
type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

const levels: Readonly<Record<number, [string, Style]>> = {
  10: ['TRACE', 'gray'],
  20: ['DEBUG', 'gray'],
  30: ['INFO', 'green'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};

/** Column widths of a request line. Longer values shift the rest of their line to the right. */
const widths = { method: 7, status: 8, ms: 7, action: 24, charge: 9 };

/** Colours by the first character of the status. `h` stands for `hangup`: the caller disconnected. */
const statusStyles: Readonly<Record<string, Style>> = { 2: 'green', 3: 'cyan', 4: 'yellow', 5: 'red', h: 'magenta' };

/** Returns a function that formats a JSON line of pino for people, with columns for requests and `name=value` for other fields. */
export function prettyFormatter(hasColours: boolean): (json: string) => string {
  const paint: Paint = hasColours
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_, text) => text;
  return (json) => {
    const { level, time, msg, err, ...fields } = JSON.parse(json) as Line;
    const [name, style] = levels[Number(level)] ?? [String(level), 'white'];
    const head = `${paint('gray', clockTime(time))} ${paint(style, name.padEnd(5))}`;
    const isRequest = msg === 'request' && fields['status'] !== undefined;
    const [text, rest] = isRequest ? describeRequest(fields, paint) : [printable(String(msg ?? '')), fields];
    const more = Object.entries(rest).map(([key, value]) => ` ${paint('gray', `${printable(key)}=${show(value)}`)}`);
    return `${head} ${text}${more.join('')}\n${describeError(err, paint)}`;
  };
}

/** Returns the columns of a request and the remaining fields. */
function describeRequest(line: Line, paint: Paint): [string, Line] {
  const { method, status, ms, action, code, reason, chargedMicros, ...rest } = line;
  const charge = Number(chargedMicros ?? 0) > 0 ? dollars(Number(chargedMicros)) : '';
  const columns = [
    show(method).padEnd(widths.method),
    paint(statusStyles[String(status).charAt(0)] ?? 'white', show(status).padEnd(widths.status)),
    `${Math.round(Number(ms))} ms`.padStart(widths.ms),
    show(action).padEnd(widths.action),
    paint('cyan', charge.padEnd(widths.charge)),
    ...(reason === undefined ? [] : [paint('yellow', `${show(code)}: ${show(reason)}`)]),
  ];
  const { quotedMicros, platformMicros, charges, ...others } = rest;
  const inDollars = {
    ...(platformMicros !== undefined && { platform: dollars(Number(platformMicros)) }),
    ...(quotedMicros !== undefined && { quoted: dollars(Number(quotedMicros)) }),
    ...(typeof charges === 'object' && charges !== null && { charges: sumsOf(charges) }),
  };
  return [columns.join(' '), { ...others, ...inDollars }];
}

function sumsOf(charges: object): string {
  return Object.entries(charges)
    .map(([action, micros]) => `${action} ${dollars(Number(micros))}`)
    .join(', ');
}

function dollars(micros: Micros): string {
  return `$${formatDollars(micros)}`;
}

/** Formats the time in the local time zone with milliseconds. */
function clockTime(time: unknown): string {
  const at = new Date(String(time));
  const parts = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0'));
  return `${parts.join(':')}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}

/** Returns the stack of an error, which includes its causes. Returns its fields if it has no stack. */
function describeError(err: unknown, paint: Paint): string {
  if (typeof err !== 'object' || err === null) return err === undefined ? '' : `    ${show(err)}\n`;
  const { stack, ...fields } = err as Line;
  const lines = typeof stack === 'string' ? stack.split('\n') : [JSON.stringify(fields)];
  return lines.map((line) => `    ${paint('red', printable(line.trimStart()))}\n`).join('');
}

function show(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return printable(/[\s"]/.test(text) && typeof value === 'string' ? JSON.stringify(value) : text);
}
