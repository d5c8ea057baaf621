import { GraphQLError } from 'graphql';

/**
 * Errors of graphql-js have neither codes nor classes, so some of them can be distinguished only by their messages. All such code is in
 * this file, and `test/structure/messages.test.ts` refuses it elsewhere.
 */

/**
 * Returns the graphql-js limit that a document exceeds: the number of tokens (`maxTokens` of `parse`), or the number of field comparisons
 * during validation (OverlappingFieldsCanBeMerged). Both patterns are anchored at the start of the message, so that a string in the
 * document cannot cause a match.
 */
export function exceededLimit(error: unknown): 'tokens' | 'comparisons' | null {
  if (!(error instanceof GraphQLError)) return null;
  if (/^Syntax Error: Document contains more tha[nt] /.test(error.message)) return 'tokens';
  return error.message === 'Validation aborted.' ? 'comparisons' : null;
}

/** Removes quoted values from a message, because a value may be very long, or a secret that the caller put into the wrong field. */
export function withoutValues(message: string): string {
  const failures = /; (?=Expected |Field "|Value "|Enum "|\w+ cannot represent )/;
  const variable = /^Variable "\$\w+" got invalid value /.exec(message)?.[0];
  if (variable !== undefined) {
    const [given = '', ...rest] = message.slice(variable.length).split(failures);
    const place = / at "\w[\w.[\]]*"$/.exec(given)?.[0] ?? '';
    return [variable.trimEnd() + place, ...(rest.length > 0 ? [withoutValues(rest.join('; '))] : [])].join('; ');
  }
  return message
    .replace(/^((?:Enum "\w+"|\w+) cannot represent [\w -]*?\bvalue)\b.*$/s, '$1')
    .replace(/^(Expected value of type "[^"]+"), found .*$/s, '$1')
    .replace(/^Value ".*" does not exist in ("\w+" enum)/s, 'The value does not exist in $1')
    .replace(/(Argument "\w+" has invalid value) .*$/s, '$1')
    .replace(/^(Syntax Error: .*?\b(?:String|BlockString)) ".*$/s, '$1');
}
