import type { Action } from './action.ts';
import { type Alternatives, alternativesOf } from './input/input.ts';

/* Sentences about an action that documents of every API share. Fields have their REST names. */

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

/** The effect of a repeated request; empty for reads. */
export function effectSentence({ effect, method }: Action): string {
  if (effect === 'read') return '';
  if (method === 'DELETE') return 'Repeating it answers 404.';
  if (method !== 'POST') return 'Repeating it does no harm.';
  if (effect === 'idempotent') return 'Repeating it changes nothing and answers the same.';
  return 'Repeating it performs it again, save with an `Idempotency-Key`.';
}

/** `a`, `b` and `c`, in backticks. */
export function listed(fields: readonly string[], word: 'and' | 'or'): string {
  const names = fields.map((field) => `\`${field}\``);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}
