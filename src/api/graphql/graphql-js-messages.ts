import { GraphQLError } from 'graphql';

/**
 * graphql-js has neither codes nor classes for its errors. All that can only be known from their texts is read in this file, and
 * `test/structure/messages.test.ts` refuses such reading elsewhere.
 */

/**
 * Returns which limit of graphql-js a document has exceeded: the number of tokens (`maxTokens` of `parse`), or the number of field
 * comparisons during validation (OverlappingFieldsCanBeMerged). Both matches are anchored at the start of the message, so a document
 * that contains the same words in a string cannot cause a match.
 */
export function exceededLimit(error: unknown): 'tokens' | 'comparisons' | null {
  if (!(error instanceof GraphQLError)) return null;
  if (/^Syntax Error: Document contains more tha[nt] /.test(error.message)) return 'tokens';
  return error.message === 'Validation aborted.' ? 'comparisons' : null;
}

/** Removes the values that a message quotes: a value may be a secret that was given in a wrong place, or very long. */
export function withoutValues(message: string): string {
  const faults = /; (?=Expected |Field "|Value "|Enum "|\w+ cannot represent )/;
  const variable = /^Variable "\$\w+" got invalid value /.exec(message)?.[0];
  if (variable !== undefined) {
    const [given = '', ...rest] = message.slice(variable.length).split(faults);
    const place = / at "\w+[\w.[\]]*"$/.exec(given)?.[0] ?? '';
    return [variable.trimEnd() + place, ...(rest.length > 0 ? [withoutValues(rest.join('; '))] : [])].join('; ');
  }
  return message
    .replace(/^((?:Enum "\w+"|\w+) cannot represent [\w -]*?\bvalue)\b.*$/s, '$1')
    .replace(/^(Expected value of type "[^"]+"), found .*$/s, '$1')
    .replace(/^Value ".*" does not exist in ("\w+" enum)/s, 'The value does not exist in $1')
    .replace(/(Argument "\w+" has invalid value) .*$/s, '$1')
    .replace(/^(Syntax Error: .*?\b(?:String|BlockString)) ".*$/s, '$1');
}
