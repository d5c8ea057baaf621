import type { Action } from './action.ts';
import { type Alternatives, alternativesOf } from './input/input.ts';

/* Sentences about an action that the documents of all APIs share. Fields have their REST names. */

/** Returns one sentence for each rule that makes fields exclude each other or requires one of them. */
export function alternativesRules(action: Action): string[] {
  return alternativesOf(action.input).map(alternativesSentence);
}

/** Returns a sentence about a rule for several fields. */
export function alternativesSentence({ fields, atLeast, atMost }: Alternatives): string {
  if (atMost > 1 || (atLeast === 1 && fields.length === 1)) return `Needs ${listed(fields, 'or')}.`;
  return atLeast === 0
    ? `Takes at most one of ${listed(fields, 'and')}.`
    : `Needs exactly one of ${listed(fields, 'and')}.`;
}

/** Returns a sentence about the effect of sending a request twice. Empty for reads. */
export function effectSentence({ effect, method }: Action): string {
  if (effect === 'read') return '';
  if (method === 'DELETE') return 'A repeated request returns 404.';
  if (method !== 'POST') return 'A repeated request does no harm.';
  if (effect === 'idempotent') return 'A repeated request changes nothing and returns the same.';
  return 'A repeated request is performed again, unless it has the same `Idempotency-Key`.';
}

/** Returns the announcement of an action's removal. Empty for actions that stay. */
export function deprecationText({ deprecated }: Action): string {
  if (deprecated === null) return '';
  const { since, sunset, use } = deprecated;
  return `Deprecated since ${since}: use \`${use}\`. It may be removed from ${sunset} on.`;
}

/** Joins field names to a phrase, such as `a`, `b` and `c`. Each name is in backticks. */
export function listed(fields: readonly string[], word: 'and' | 'or'): string {
  const names = fields.map((field) => `\`${field}\``);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}
