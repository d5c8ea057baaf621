const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content and for quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** The result of the `html` template tag, which escapes all values except other `Html` values. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function html(strings: TemplateStringsArray, ...values: (string | number | Html | readonly Html[])[]): Html {
  return new Html(strings.reduce((text, part, i) => text + render(values[i - 1] ?? '') + part));
}

/**
 * Returns a script element. The element is not written in an `html` template, because the build replaces a template that
 * contains a closing script tag by a call of a package that is not installed.
 */
export function script(path: string, attributes: 'defer' | 'type="module"'): Html {
  return new Html(`<script src="${path}" ${attributes}></script>`);
}

function render(value: string | number | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map((item) => item.text).join('');
  return escapeHtml(String(value));
}
