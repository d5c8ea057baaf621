/** The page is always light, because the viewer paints some of its parts white in every colour scheme. */
export const docsStyle = `
:root { color-scheme: light; --ink: #1d2430; --soft: #5b6675; --paper: #fbfaf8; --line: #e2dfd8; --accent: #0b5f5a; }
* { box-sizing: border-box; }
body { margin: 0; height: 100dvh; display: flex; flex-direction: column; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.25rem; padding: 0.6rem 1.25rem; border-bottom: 1px solid var(--line); }
header a { font-size: 1.15rem; font-weight: 700; letter-spacing: -0.02em; color: var(--accent); }
header p { margin: 0; color: var(--soft); font-size: 0.9rem; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
openapi-explorer { flex: 1; min-height: 0; width: 100%; overflow: hidden; --font-regular: system-ui, sans-serif; --font-mono: ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
noscript { padding: 1.25rem; }
`;

/** Fills in the demo credentials and the examples of required fields, so that one click makes a first call. */
export const docsScript = `
const explorer = document.querySelector('openapi-explorer');
explorer.addEventListener('spec-loaded', async ({ detail: spec }) => {
  for (const { paths } of spec.tags) {
    for (const { parameters = [] } of paths) {
      for (const parameter of parameters) {
        if (parameter.required) parameter.schema = { default: parameter.example, ...parameter.schema };
      }
    }
  }
  const { apiKey, actor, encryptionCode } = explorer.dataset;
  if (apiKey) await explorer.setAuthenticationConfiguration('apiKey', { token: apiKey });
  if (actor) await explorer.setAuthenticationConfiguration('actor', { token: actor });
  if (encryptionCode) await explorer.setAuthenticationConfiguration('encryptionCode', { token: encryptionCode });
});
// Not in the page: the viewer could have read it before anyone listened.
explorer.setAttribute('spec-url', '/openapi.json');
`;
