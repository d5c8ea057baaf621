// Takes the write lock of the SQLite file argv[2], writes nonsense in its transaction, and rolls it back after argv[3]
// milliseconds, unless somebody kills it before: nobody may ever see what it wrote.
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
