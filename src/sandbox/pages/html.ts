/** HTML text that needs no escaping. The `html` template escapes all other values. */
export class SafeHtml {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | SafeHtml | undefined | readonly SafeHtml[];

export function safeHtml(strings: TemplateStringsArray, ...parts: readonly Part[]): SafeHtml {
  return new SafeHtml(strings.reduce((before, string, index) => before + renderPart(parts[index - 1]) + string));
}

function renderPart(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof SafeHtml) return part.text;
  if (typeof part === 'object') return part.map((each) => each.text).join('');
  return String(part).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
