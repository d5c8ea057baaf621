export const homeStyle = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1d2430, #e8ebf0);
  --soft: light-dark(#5b6675, #a3adbb);
  --paper: light-dark(#fbfaf8, #14181f);
  --card: light-dark(#ffffff, #1c222b);
  --line: light-dark(#e2dfd8, #313947);
  --accent: light-dark(#0b5f5a, #6cd0c6);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
header, main { max-width: 52rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
h1 { font-size: 2.1rem; letter-spacing: -0.02em; margin: 0; }
h1 small { font-size: 0.9rem; font-weight: 400; color: var(--soft); letter-spacing: 0; }
header p { color: var(--soft); margin-top: 0.25rem; font-size: 1.1rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.5rem; }
h3 { font-size: 1rem; margin: 1.75rem 0 0.25rem; }
main { padding-bottom: 4rem; }
a { color: var(--accent); }
a:focus-visible, button:focus-visible, pre:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code { font: 0.875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
figure { margin: 1rem 0; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); overflow: hidden; }
figcaption { display: flex; justify-content: space-between; align-items: center; gap: 1rem; padding: 0.35rem 0.4rem 0.35rem 0.9rem; border-bottom: 1px solid var(--line); font-weight: 600; }
pre { margin: 0; padding: 0.8rem 0.9rem; overflow-x: auto; }
pre code { white-space: pre-wrap; overflow-wrap: anywhere; }
button { font: inherit; font-weight: 500; min-height: 2.25rem; padding: 0 0.9rem; color: var(--accent); background: none; border: 1px solid var(--line); border-radius: 0.45rem; cursor: pointer; }
button:hover { border-color: var(--accent); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.4rem 1.25rem; margin: 0.5rem 0 0; }
dt { font-weight: 600; }
dd { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 0.6rem; background: var(--card); }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.5rem 0.9rem; }
td:not(:nth-child(2)), th { white-space: nowrap; }
th { color: var(--soft); font-weight: 500; font-size: 0.9rem; }
tbody tr { border-top: 1px solid var(--line); }
@media (max-width: 40rem) {
  dl { grid-template-columns: 1fr; gap: 0.1rem; }
  dd { margin-bottom: 0.6rem; }
  thead { display: none; }
  tbody tr { display: grid; grid-template-columns: 1fr max-content; gap: 0 1rem; padding: 0.5rem 0.9rem; }
  td { padding: 0; overflow-wrap: anywhere; }
  td:nth-child(1) { white-space: normal; }
  td:nth-child(2) { grid-row: 2; grid-column: 1 / -1; color: var(--soft); }
}
`;

export const homeScript = `
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    const code = button.closest('figure').querySelector('code');
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
}
`;
