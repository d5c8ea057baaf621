export const code = (text: string) => `\`${text}\``;

/** Formats a table in Markdown. */
export function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}
