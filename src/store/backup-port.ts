/** Reports the progress of a backup or a restore, in bytes or documents. */
export type OnProgress = (done: number, total: number) => void;

/** Facts about the content of a backup that a restore checks first. */
export interface BackupContent {
  /** The version of the store's schema. */
  schema: number;
  /** The check value of SECRET_KEY (`SecretCheckStore`); `null` if there is none. */
  secretCheck: string | null;
}
