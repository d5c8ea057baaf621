import Libsql from 'libsql';

/** Opens an SQLite file, beside the process that uses it, and returns the result of `use`. */
export function onSqlite<Result>(path: string, use: (database: Libsql.Database) => Result): Result {
  const database = new Libsql(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}
