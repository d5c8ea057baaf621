import type { Action } from './action.ts';
import { type Alternatives, alternativesOf } from './input/input.ts';

/* Sentences about an action that the documents of all APIs share. Fields have their REST names. */

/** A sentence for each rule about fields that exclude each other, or of which one is required. */
export function alternativesRules(action: Action): string[] {
  return alternativesOf(action.input).map(alternativesSentence);
}

function alternativesSentence({ fields, atLeast, atMost }: Alternatives): string {
  if (atMost > 1) return `Needs ${listed(fields, 'or')}.`;
  return atLeast === 0
    ? `Takes at most one of ${listed(fields, 'and')}.`
    : `Needs exactly one of ${listed(fields, 'and')}.`;
}

/** Describes the effect of a repeated request; empty for reads. */
export function effectSentence({ effect, method }: Action): string {
  if (effect === 'read') return '';
  if (method === 'DELETE') return 'A repeated request returns 404.';
  if (method !== 'POST') return 'A repeated request does no harm.';
  if (effect === 'idempotent') return 'A repeated request changes nothing and returns the same.';
  return 'A repeated request is performed again, unless it has the same `Idempotency-Key`.';
}

/** `a`, `b` and `c`, in backticks. */
export function listed(fields: readonly string[], word: 'and' | 'or'): string {
  const names = fields.map((field) => `\`${field}\``);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}
