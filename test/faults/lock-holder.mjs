// Takes the write lock of the SQLite file argv[2], writes invalid data in a transaction, and rolls it back after argv[3] milliseconds
// unless it is killed before. No other process may ever see the data.
import Libsql from 'libsql';

const [, , path, heldMs] = process.argv;
const database = new Libsql(path);
database.exec('PRAGMA busy_timeout = 30000');
database.exec('BEGIN IMMEDIATE');
database.exec('UPDATE account SET avail = 0, charged = 0');
process.stdout.write('locked\n');
setTimeout(() => {
  database.exec('ROLLBACK');
  database.close();
}, Number(heldMs));
