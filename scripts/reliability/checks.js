const manySizes = '1000,10000,30000,100000';
const manyLong = [
  ...['--sizes', manySizes, '--pollers', manySizes, '--seconds', '6', '--rest', '20'],
  ...['--starts', '3', '--warm', '75', '--measured', '120'],
];
const manyKills = ['--kills', '1000', '--each', '5'];

/**
 * The checks of `npm run reliability -- --run`, in the order of docs/reliability.md. `script` is a file in scripts/. Without arguments it
 * runs for a short time; `long` are the arguments of the run whose results are recorded. A check of two runs has two lists of arguments.
 */
export const checks = [
  {
    name: 'soak',
    title: 'Soak',
    script: 'soak.js',
    long: [
      ['--seconds', '1800'],
      ['--seconds', '1800', '--store', 'mongodb'],
    ],
  },
  {
    name: 'kills',
    title: 'Kills and other faults',
    script: 'kills.js',
    long: [
      ['--store', 'sqlite', ...manyKills],
      ['--store', 'mongodb', ...manyKills],
    ],
  },
  { name: 'many', title: 'Many keys, webhooks, events and calls', script: 'many.js', long: [manyLong] },
  { name: 'scale', title: 'Scale', script: 'scale.js', long: [['--seconds', '6', '--rounds', '3', '--mongodb']] },
  {
    name: 'backup',
    title: 'Backup, restore and change of the secret key',
    script: 'backup-under-load.js',
    long: ['--rounds 3 --seconds 40 --callers 8 --damages 200 --webhooks 1000 --kills 10'.split(' ')],
  },
  { name: 'security', title: 'Security', script: 'security.js', long: [['--all']] },
];
