import { errorGuide } from '../../../shared/errors/guide.ts';
import { type ErrorReason, errorReasons } from '../../../shared/errors/reasons.ts';
import { type ErrorCode, errorCodes, errorTable } from '../../../shared/errors/table.ts';
import { exampleErrorMessage, meaningOf } from './refusals.ts';

/** The description of an error code for `/docs/errors` and docs/errors.md. The texts are Markdown with code spans only. */
export interface ErrorEntry {
  code: ErrorCode;
  status: number;
  graphql: string;
  meaning: string;
  remedy: string;
  retry: string;
  example: string | null;
}

export function errorEntries(): ErrorEntry[] {
  return errorCodes.map((code) => ({
    code,
    ...errorTable[code],
    meaning: meaningOf(code),
    ...errorGuide[code],
    example: exampleErrorMessage(code) ?? null,
  }));
}

export const errorIntroduction =
  'Every error response of REST has the header `x-error-code` with one of these codes, and the Envelope with a message ' +
  'for people. Programs should decide by the code and not by the message. In GraphQL, each error has `extensions.code` and ' +
  '`extensions.status`. A request that is refused as a whole has the header as well, unless its status is 200.';

/** Returns docs/errors.md, which has a section for each error code. The code is the anchor of its section. */
export function errorReference(): string {
  const sections = errorEntries().map(({ code, status, graphql, meaning, remedy, retry }) =>
    [`## ${code}`, `${status}, GraphQL \`${graphql}\`. Retry: ${retry}. ${remedy}`, reasonsOf(code) ?? meaning].join(
      '\n\n',
    ),
  );
  const head = [
    '<!-- Printed by `npm run print` from src/shared/errors/ and src/api/rest/openapi/refusals.ts. -->',
    '# Errors',
  ];
  return `${[...head, errorIntroduction, reasonIntroduction, ...sections].join('\n\n')}\n`;
}

const reasonIntroduction =
  'The lists have the reasons of a code, which the log line of a request and `postern_refusals_total` name. `/docs/errors` has the ' +
  'meaning and an example of each code.';

/** Returns the list of the reasons of a code. Returns `undefined` if the only reason has the name of the code. */
function reasonsOf(code: ErrorCode): string | undefined {
  const reasons = (Object.keys(errorReasons) as ErrorReason[]).filter((reason) => errorReasons[reason].code === code);
  if (reasons.every((reason) => reason === code)) return undefined;
  return reasons.map((reason) => `- \`${reason}\`: ${errorReasons[reason].meaning}`).join('\n');
}
