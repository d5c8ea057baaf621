import { Command } from 'commander';
import { failed } from './doctor/finding.ts';
import { asJson, describe, withoutSecrets } from './doctor/report.ts';

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check settings, disk, key, store, clock, port and platform, and say what to do about each problem')
    .option('--json', 'print { "ok": …, "checks": [{ "name", "state", "detail", "todo" }] }')
    .action(async (options: { json?: boolean }) => {
      const { examine } = await import('./doctor/examine.ts');
      const examination = await examine(process.env);
      const coloured = process.stdout.isTTY === true && !process.env['NO_COLOR'];
      const text = options.json ? asJson(examination) : describe(examination, coloured);
      await new Promise((resolve) => process.stdout.write(`${withoutSecrets(text, process.env)}\n`, resolve));
      // A connection or a disk that hangs would keep the process alive after the report.
      process.exit(failed(examination.findings) ? 1 : 0);
    });
}
