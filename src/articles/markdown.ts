import type { PlatformArticle } from '../platform/port.ts';
import type { Article } from '../shared/model/article.ts';
import type { TaskRunner } from '../shared/threads/task.ts';
import { contentTasks } from './content-tasks.ts';

/** An article as callers see it: its content as Markdown. */
export async function asArticle(
  { content, isOwn: _isOwn, ...summary }: PlatformArticle,
  tasks: TaskRunner,
): Promise<Article> {
  return { ...summary, content: await tasks.run(contentTasks.writeMarkdown, { text: content }) };
}
