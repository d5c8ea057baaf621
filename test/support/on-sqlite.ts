import Libsql from 'libsql';

/** Opens an SQLite file, which a service may be using, and returns the result of `use`. */
export function onSqlite<Result>(path: string, use: (database: Libsql.Database) => Result): Result {
  const database = new Libsql(path);
  try {
    return use(database);
  } finally {
    database.close();
  }
}
