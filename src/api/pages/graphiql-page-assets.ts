/** The bar above GraphiQL. It is dark when GraphiQL is, which the system decides until the reader does in its settings. */
export const graphiqlStyle = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1d2430, #e8ebf0);
  --soft: light-dark(#5b6675, #a3adbb);
  --paper: light-dark(#fbfaf8, #14181f);
  --card: light-dark(#ffffff, #1c222b);
  --line: light-dark(#e2dfd8, #313947);
  --accent: light-dark(#0b5f5a, #6cd0c6);
}
body.graphiql-light { color-scheme: light; }
body.graphiql-dark { color-scheme: dark; }
body { margin: 0; height: 100dvh; display: flex; flex-direction: column; background: var(--paper); color: var(--ink); }
body > header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 1.5rem; padding: 0.5rem 1.25rem; border-bottom: 1px solid var(--line); font: 0.9rem/1.55 system-ui, sans-serif; }
body > header > a { font-size: 1.15rem; font-weight: 700; letter-spacing: -0.02em; color: var(--accent); }
#credentials { display: flex; flex-wrap: wrap; flex: 1; gap: 0.4rem 1.25rem; }
#credentials label { display: flex; align-items: center; gap: 0.5rem; color: var(--soft); white-space: nowrap; }
#credentials label[hidden] { display: none; }
#credentials :is(input, select) { box-sizing: border-box; min-width: 0; height: 2.25rem; padding: 0 0.6rem; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 0.45rem; font: 0.875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
#credentials input { width: 16rem; }
body > header :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
#graphiql { flex: 1; min-height: 0; }
#graphiql .graphiql-container { height: 100%; width: 100%; --color-primary: 176, 79%, 21%; }
body.graphiql-dark #graphiql .graphiql-container { --color-primary: 174, 60%, 38%; }
@media (prefers-color-scheme: dark) {
  body:not(.graphiql-light) #graphiql .graphiql-container { --color-primary: 174, 60%, 38%; }
}
#graphiql .graphiql-tab { transform: none !important; touch-action: auto !important; }
noscript { padding: 1.25rem; }
@media (max-width: 40rem) {
  #credentials, #credentials label, #credentials :is(input, select) { flex: 1 1 auto; }
  #credentials label { flex-basis: 100%; }
  #graphiql :is(.graphiql-main, #graphiql-session) { flex-direction: column; }
  #graphiql :is(.graphiql-horizontal-drag-bar, .graphiql-logo) { display: none; }
  #graphiql .graphiql-sessions { margin: 0.25rem 0.25rem 0.25rem 0; }
}
`;

/** Starts GraphiQL with the examples as its tabs, and gives what stands in the bar to each of its requests. */
export const graphiqlScript = `
const form = document.querySelector('#credentials');
const main = document.querySelector('#graphiql');
const { apiKey, account, token, code } = form.elements;

// Of this tab alone, and gone with it. What the page filled in is not kept: it may be another the next time.
const place = (control) => 'postern:' + control.name;
for (const control of form.elements) {
  const filledIn = control.value;
  const kept = sessionStorage.getItem(place(control));
  if (kept !== null) control.value = kept;
  if (kept !== null && control.value !== kept) control.value = filledIn;
  control.addEventListener('input', () => {
    if (control.value === filledIn) sessionStorage.removeItem(place(control));
    else sessionStorage.setItem(place(control), control.value);
  });
}

const isChosen = () => account !== undefined && account.value !== 'other';
const showWhereAsked = () => {
  for (const control of [token, code]) control.closest('label').hidden = isChosen();
};
showWhereAsked();
account?.addEventListener('input', showWhereAsked);

/** The headers of a request. Those written into the headers editor come first, however they are spelled. */
function credentials({ extensions } = {}) {
  const written = new Headers(extensions?.headers);
  const key = apiKey.value.trim();
  const actor = isChosen() ? account.value : token.value.trim();
  const opens = isChosen() ? account.selectedOptions[0].dataset.code : code.value.trim();
  const headers = {};
  if (key && !written.has('authorization')) headers.authorization = 'Bearer ' + key;
  if (actor && !written.has('x-auth-token')) headers['x-auth-token'] = actor;
  if (opens && !written.has('x-encryption-code')) headers['x-encryption-code'] = opens;
  return headers;
}

let schemaKnown = false;
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('change', () => {
  if (!schemaKnown) main.querySelector('button[aria-label^="Re-fetch"]')?.click();
});

// Its tabs can be dragged, but it takes those that it opens with to be elsewhere: a press makes them jump from the pointer.
main.addEventListener('pointerdown', (event) => {
  if (event.target.closest('.graphiql-tab')) event.stopPropagation();
}, { capture: true });

globalThis.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => '/graphiql/' + label + '.worker.js',
};

const examples = JSON.parse(main.dataset.examples);
// GraphiQL notes a query when it is changed. Without this a reload before that would add an empty tab.
if (sessionStorage.getItem('graphiql:query') === null) sessionStorage.setItem('graphiql:query', examples[0].query);

YogaGraphiQL.renderYogaGraphiQL(main, {
  endpoint: '/graphql',
  method: 'POST',
  title: 'Graph<em>i</em>QL',
  logo: ' ',
  defaultTabs: examples.map(({ query, variables }) => ({
    query,
    variables: variables && JSON.stringify(variables, null, 2),
  })),
  defaultHeaders: '{\\n  // Sent with the API key and the actor above.\\n  // What has the same name here replaces them.\\n}',
  defaultEditorToolsVisibility: 'variables',
  additionalHeaders: credentials,
  storage: sessionStorage,
  shouldPersistHeaders: false,
  // It would write every query into the address, from where a reload would run it instead of opening the page.
  onEditQuery() {},
  onSchemaChange() {
    schemaKnown = true;
  },
  // GraphiQL's own loads the pictures that an answer names; the policy of the page forbids other origins.
  responseTooltip: () => null,
});
`;
