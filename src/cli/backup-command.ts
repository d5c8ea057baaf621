import { Command } from 'commander';
import { commandName } from '../shared/config/command-name.ts';
import { readConfig } from '../shared/config/config.ts';
import { secretKeyPath } from '../shared/secrets/secret-key-file.ts';
import type { OnProgress } from '../store/sqlite/backup.ts';
import { print } from './print.ts';

export function backupCommand(): Command {
  return new Command('backup')
    .description('Write a checked backup of the embedded store. Gateways may run')
    .argument('<path>', 'folder to make; it must not exist')
    .option('--json', 'print the manifest of the backup')
    .action(async (path: string, options: { json?: boolean }) => {
      const { backup } = await import('../main/backup.ts');
      const progress = showProgress('Backing up');
      const config = readConfig(process.env);
      const manifest = await backup(config, path, progress);
      progress(1, 1);
      const text =
        `Wrote ${path} (${manifest.file}, ${(manifest.bytes / 1e6).toFixed(1)} MB, SHA-256 ${manifest.sha256})\n` +
        `The secret key is not in it: keep SECRET_KEY, or ${secretKeyPath(config.dataDir)}, in another place`;
      print(options.json, manifest, text);
    });
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('Restore a backup into an empty DATA_DIR, while no gateway runs')
    .argument('<path>', 'folder that `postern backup` made')
    .option(
      '--without-secrets',
      'leave out all data that was encrypted with a lost key: webhooks, events, stored responses and logins',
    )
    .option('--json', 'print the manifest of the backup')
    .action(async (path: string, options: { withoutSecrets?: boolean; json?: boolean }) => {
      const { restore } = await import('../main/backup.ts');
      const manifest = await restore(readConfig(process.env), path, {
        withoutSecrets: options.withoutSecrets === true,
        onChecked: showProgress('Checking'),
      });
      print(options.json, manifest, `Restored the backup of ${manifest.createdAt}. Next: ${commandName} doctor`);
    });
}

/** Shows progress on standard error: on a terminal as one line that is updated, otherwise as a line every 10 %. */
function showProgress(label: string): OnProgress {
  let shown = -1;
  return (done, total) => {
    const percent = total > 0 ? Math.min(100, Math.floor((done / total) * 100)) : 100;
    const step = process.stderr.isTTY ? percent : percent - (percent % 10);
    if (step === shown) return;
    shown = step;
    const text = `${label}: ${step} %`;
    process.stderr.write(process.stderr.isTTY ? `\r${text}${step === 100 ? '\n' : ''}` : `${text}\n`);
  };
}
