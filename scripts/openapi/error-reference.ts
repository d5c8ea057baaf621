import { errorEntries, errorIntroduction } from '../../src/shared/errors/guide.ts';
import { type ErrorReason, errorReasons } from '../../src/shared/errors/reasons.ts';
import type { ErrorCode } from '../../src/shared/errors/table.ts';

/** Returns docs/errors.md, which has a section for each error code. The code is the anchor of its section. */
export function errorReference(): string {
  const sections = errorEntries().map(({ code, status, graphql, when, remedy, retry }) => {
    const head = `${status}, GraphQL \`${graphql}\`. Retry: ${retry}. ${remedy}`;
    return [`## ${code}`, head, reasonsOf(code) ?? when].join('\n\n');
  });
  const head = ['<!-- Printed by `npm run print` from src/shared/errors/. -->', '# Errors'];
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
