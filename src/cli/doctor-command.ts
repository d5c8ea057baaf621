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
    .option('--live', 'with PLATFORM_KIND=x, also make a few reads as POSTERN_AUTH_TOKEN, which X bills')
    .action(async (options: { json?: boolean; live?: boolean }) => {
      const { examine } = await import('./doctor/examine.ts');
      if (options.live && process.env['PLATFORM_KIND']?.trim() === 'x') {
        const { liveDollars } = await import('./doctor/check-x.ts');
        process.stderr.write(`X bills up to ${liveDollars.toFixed(2)} dollars for the reads of --live.\n`);
      }
      const examination = await examine(process.env, options.live);
      const coloured = process.stdout.isTTY === true && !process.env['NO_COLOR'];
      const text = options.json ? asJson(examination) : formatReport(examination, coloured);
      await new Promise((resolve) => process.stdout.write(`${withoutSecrets(text, process.env)}\n`, resolve));
      // The process is ended explicitly, because a hanging connection or disk would keep it alive after the report.
      process.exit(hasFailure(examination.findings) ? 1 : 0);
    });
}
