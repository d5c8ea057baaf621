import { parseRichText, type RichTextJson } from '../../shared/rich-text/rich-text.ts';
import type { Task } from '../../shared/threads/task.ts';

/** Converts rich text to the JSON of X's content of articles. */
const writeContentState: Task<{ text: RichTextJson }, string> = {
  name: 'x/writeContentState',
  inlineUpTo: 0,
  run: async ({ text }) => {
    const { toContentState } = await import('./content-state.ts');
    return JSON.stringify(toContentState(parseRichText(text)));
  },
};

export const articleTasks = { writeContentState };
