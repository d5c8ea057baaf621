import { Command } from 'commander';
import { hasFailure } from './doctor/finding.ts';
import { asJson, formatReport, withoutSecrets } from './doctor/report.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .summary('Find problems of an installation')
    .description(
      'Check settings, disk, key, store, clock, port, platform and the collector of traces, and say what to do about each problem',
    )
    .option('--json', 'print { "ok": …, "checks": [{ "name", "state", "detail", "todo" }] }')
    .action(async (options: { json?: boolean }) => {
      const { examine } = await import('./doctor/examine.ts');
      const examination = await examine(process.env);
      const coloured = process.stdout.isTTY === true && !process.env['NO_COLOR'];
      const text = options.json ? asJson(examination) : formatReport(examination, coloured);
      await new Promise((resolve) => process.stdout.write(`${withoutSecrets(text, process.env)}\n`, resolve));
      // The process is ended explicitly, because a hanging connection or disk would keep it alive after the report.
      process.exit(hasFailure(examination.findings) ? 1 : 0);
    });
}
