import { commandName } from '../../shared/config/command-name.ts';
import type { Environment } from '../../shared/config/config.ts';
import { settings } from '../../shared/config/settings.ts';
import type { Examination } from './examine.ts';
import { type Finding, type FindingState, hasFailure } from './finding.ts';

const marks: Record<FindingState, string> = { ok: 'ok', warn: 'warn', fail: 'FAIL', skip: 'skip' };
const colours: Record<FindingState, number> = { ok: 32, warn: 33, fail: 31, skip: 2 };

/** Formats the report: a line for each finding with the advice below it, and the next step at the end. */
export function formatReport({ findings, runningAt }: Examination, coloured: boolean): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = findings.flatMap(({ name, state, detail, todo }) => {
    const mark = marks[state].padEnd(4);
    const shown = coloured ? `\u001b[${colours[state]}m${mark}\u001b[0m` : mark;
    const line = `${shown}  ${name.padEnd(width)}  ${detail}`;
    return todo === null ? [line] : [line, `${' '.repeat(8 + width)}→ ${todo}`];
  });
  return [...lines, '', summary(findings, runningAt)].join('\n');
}

function summary(findings: readonly Finding[], runningAt: string | null): string {
  const count = (wanted: FindingState) => findings.filter(({ state }) => state === wanted).length;
  const warnings = count('warn') === 1 ? '1 warning' : `${count('warn')} warnings`;
  if (hasFailure(findings)) {
    const problems = count('fail') === 1 ? '1 problem' : `${count('fail')} problems`;
    const found = count('warn') === 0 ? problems : `${problems} and ${warnings}`;
    return `Found ${found}. Next: do what the arrows say, then run \`${commandName} doctor\` again.`;
  }
  const found = count('warn') === 0 ? 'All is well.' : `Nothing is broken, with ${warnings}.`;
  const next =
    runningAt === null ? `\`${commandName} serve\` starts the service.` : `${runningAt}/ shows calls to paste.`;
  return `${found} Next: ${next}`;
}

export function asJson({ findings }: Examination): string {
  return JSON.stringify({ ok: !hasFailure(findings), checks: findings });
}

/**
 * Replaces the values of secret settings in a text. Postern's own messages contain no secrets, but messages of other programs may, and
 * people publish reports of the doctor.
 */
export function withoutSecrets(text: string, env: Environment): string {
  const values = Object.entries(settings)
    .filter(([, setting]) => 'secret' in setting)
    .flatMap(([name]) => (name === 'MONGODB_URL' ? passwords(env[name]) : (env[name] ?? '').split(',')));
  // Short secrets are not replaced, because they would match in many places, which would reveal them.
  const telling = values.map((value) => value.trim()).filter((value) => value.length >= 6);
  return telling.reduce((shown, value) => shown.replaceAll(value, '[secret]'), text);
}

function passwords(url = ''): string[] {
  const [, password = ''] = /\/\/[^:/]*:(.*)@/.exec(url) ?? [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
