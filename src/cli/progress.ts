import type { OnProgress } from '../store/backup-port.ts';

/** Returns a function that shows progress on standard error: a line that is rewritten on a terminal, else a line for each tenth. */
export function showProgress(label: string): OnProgress {
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
