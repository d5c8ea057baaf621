import { errorEntries, errorIntroduction } from '../../src/shared/errors/guide.ts';
import { type ErrorReason, errorReasons } from '../../src/shared/errors/reasons.ts';
import type { ErrorCode } from '../../src/shared/errors/table.ts';

/** Returns docs/errors.md, which has a section for each error code. The code is the anchor of its section. */
export function errorReference(): string {
  const sections = errorEntries().map(({ code, status, graphql, when, remedy, retry, example }) =>
    [
      `## ${code}`,
      `HTTP status ${status}, GraphQL \`${graphql}\`. Retry: ${retry}.`,
      when,
      `**What to do.** ${remedy}`,
      ...(example === undefined ? [] : [`Example: \`${example}\``]),
      `Reasons in the log:\n\n${reasonsOf(code).join('\n')}`,
    ].join('\n\n'),
  );
  const head = ['<!-- Printed by `npm run print` from src/shared/errors/. -->', '# Errors'];
  return `${[...head, errorIntroduction, reasonIntroduction, ...sections].join('\n\n')}\n`;
}

const reasonIntroduction =
  'For operators: the log line of a request names the code and its reason, and `postern_refusals_total` counts reasons. ' +
  'The reason identifies, for example, the limit that refused a request.';

function reasonsOf(code: ErrorCode): string[] {
  const reasons = Object.keys(errorReasons) as ErrorReason[];
  return reasons
    .filter((reason) => errorReasons[reason].code === code)
    .map((reason) => `- \`${reason}\`: ${errorReasons[reason].meaning}`);
}
