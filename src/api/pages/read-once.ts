import { PosternError } from '../../shared/errors/postern-error.ts';

/** Reads a file of the build when it is first asked for, and keeps what came of it. */
export function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let content: Promise<T> | undefined;
  return () => {
    content ??= read().catch((cause) => {
      content = undefined;
      throw new PosternError('unexpected', 'A file of the build is missing: run `npm run build`', { cause });
    });
    return content;
  };
}
