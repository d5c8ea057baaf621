// Rows of the report for each part of the check.

/** Returns the row of `checkBackup`. */
export function describeBackup(rounds) {
  return {
    test: 'backup and restore',
    fault: '`postern backup` while calls, writes and events run; all gateways killed; restore into an empty store',
    promised:
      'no call fails; charges, stored responses, webhooks and events in the backup are those of one point in time; nothing is performed, ' +
      'charged or delivered differently after the restore',
    measured:
      `${total(rounds, 'calls')} charged calls (${total(rounds, 'repeated')} repeated after 503), ${total(rounds, 'events')} events: ` +
      `0 failed, 0 lost; ${total(rounds, 'replayed')} stored responses replayed, ${total(rounds, 'again')} deliveries repeated with ` +
      `the same id and body. Backup ${seconds(rounds, 'backupMs')}; p99 of calls ${milliseconds(rounds, 'duringMs')} during it and ` +
      `${milliseconds(rounds, 'usualMs')} before it; from restore to the first call ${seconds(rounds, 'restoreMs')}`,
  };
}

/** Returns the row of `checkDamage`. */
export function describeDamage([{ backups, stores }]) {
  const isSqlite = stores.harmless !== undefined;
  const found = isSqlite
    ? `${stores.damages} database files: ${stores.refused} refused at the start, ${stores.backupRefused} by \`postern backup\`, ` +
      `${stores.harmless} with the same content, ${stores.encrypted} in encrypted text, which cannot be decrypted, ` +
      `${stores.undetected.length} not found`
    : `${stores.refused} of ${stores.damages} wrong amounts refused by \`postern backup\``;
  return {
    test: 'damage',
    fault: isSqlite
      ? 'bytes changed, files truncated, extended or deleted, wrong SECRET_KEY'
      : 'backups changed, truncated, extended or deleted; amounts changed in the database; wrong SECRET_KEY',
    promised: 'a message and exit code 1; a refused restore writes nothing',
    measured: `${backups.damages} damaged backups: ${backups.refused} refused, ${backups.harmless} with the same content; ${found}`,
  };
}

/** Returns the row of `checkRotation`. */
export function describeRotation(rounds) {
  return {
    test: 'change of the secret key',
    fault:
      'two gateways restarted three times one after the other, `postern secrets rotate` killed and repeated, under load',
    promised: 'no call fails, no event is lost, and afterwards all secrets need the new key only',
    measured:
      `${total(rounds, 'calls')} charged calls (${total(rounds, 'repeated')} repeated after 503), ${total(rounds, 'events')} events: ` +
      `0 failed, 0 lost; ${rounds[0].checked} webhooks and pollers encrypted again, after ${total(rounds, 'interrupted')} kills, in ` +
      `${seconds(rounds, 'rotateMs')}`,
  };
}

function total(rounds, figure) {
  return rounds.reduce((sum, round) => sum + round[figure], 0).toLocaleString('en-US');
}

function worst(rounds, figure) {
  return Math.max(...rounds.map((round) => round[figure]));
}

function seconds(rounds, figure) {
  return `${(worst(rounds, figure) / 1_000).toFixed(1)} s`;
}

function milliseconds(rounds, figure) {
  return `${Math.round(worst(rounds, figure))} ms`;
}
