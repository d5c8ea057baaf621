/** Text that is HTML already. Everything else is escaped on its way into it. */
export class SafeHtml {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | SafeHtml | undefined | readonly SafeHtml[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): SafeHtml {
  return new SafeHtml(strings.reduce((before, string, index) => before + written(parts[index - 1]) + string));
}

function written(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof SafeHtml) return part.text;
  if (typeof part === 'object') return part.map((each) => each.text).join('');
  return String(part).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

export function page(title: string, body: SafeHtml): string {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex">
<title>${title}</title><link rel="stylesheet" href="${STYLE_PATH}"></head>
<body><main>${body}</main></body></html>
`.text;
}

export const STYLE_PATH = '/media/page.css';

export const style = `:root{--ink:#16202a;--soft:#5b6b7a;--line:#dfe5ea;--paper:#fff;--ground:#f3f6f8;--link:#0b62b8}
@media (prefers-color-scheme:dark){:root{--ink:#e7edf2;--soft:#93a3b1;--line:#2b3742;--paper:#141b21;--ground:#0c1115;--link:#6cb4ff}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:38rem;margin:0 auto;background:var(--paper);min-height:100vh}a{color:var(--link);text-decoration:none}
a:hover{text-decoration:underline}h1{font-size:1.3rem;margin:.4rem 0 0}h2{font-size:1rem;margin:0;padding:.9rem 1rem}
header,article,.notice{padding:1rem;border-bottom:1px solid var(--line)}.banner{display:block;width:100%;height:auto}
.avatar{width:3rem;height:3rem;border-radius:50%}header .avatar{width:5rem;height:5rem}.soft{color:var(--soft)}
.text{white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0}.main .text{font-size:1.25rem}
.media{max-width:100%;height:auto;border-radius:.7rem;margin:.3rem 0}.quoted{border:1px solid var(--line);border-radius:.7rem;padding:.7rem}
.by{display:flex;gap:.6rem;align-items:center}.counts{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.4rem 0 0;color:var(--soft)}
.counts b{color:var(--ink)}.written{overflow-wrap:anywhere}.written h1{font-size:1.7rem;line-height:1.2;margin:.2rem 0 .8rem}
.written h2{font-size:1.3rem;margin:1.4rem 0 .4rem;padding:0}.written h3,.written h4,.written h5,.written h6{margin:1.2rem 0 .3rem}
.written p{white-space:pre-wrap}.written blockquote{margin:1rem 0;padding-left:1rem;border-left:3px solid var(--line);color:var(--soft)}
.written pre{overflow-x:auto;background:var(--ground);padding:.8rem;border-radius:.5rem}.written code{font:.9em ui-monospace,monospace}
.written hr{border:0;border-top:1px solid var(--line);margin:1.5rem 0}.written li>p{margin:.2rem 0}
`;
