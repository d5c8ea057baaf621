export const code = (text) => `\`${text}\``;

/** Formats a table in Markdown. */
export function table(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}
