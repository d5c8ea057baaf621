import { EventSourceParserStream } from 'eventsource-parser/stream';
import { GraphiQL } from 'graphiql';
import { getOperationAST } from 'graphql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

// Starts GraphiQL with one tab for each example. Adds the credentials in the bar to each request.
const form = document.querySelector('#credentials');
const main = document.querySelector('#graphiql');
const { apiKey, account, token, code } = form.elements;

// The session storage of this browser tab keeps the values that the user enters. It does not keep the values that the page fills in,
// because they may change.
const storageKey = (control) => `postern:${control.name}`;
for (const control of form.elements) {
  const initial = control.value;
  const stored = sessionStorage.getItem(storageKey(control));
  if (stored !== null) control.value = stored;
  if (stored !== null && control.value !== stored) control.value = initial;
  control.addEventListener('input', () => {
    if (control.value === initial) sessionStorage.removeItem(storageKey(control));
    else sessionStorage.setItem(storageKey(control), control.value);
  });
}

const usesDemoAccount = () => account !== undefined && account.value !== 'other';
const updateVisibility = () => {
  for (const control of [token, code]) control.closest('label').hidden = usesDemoAccount();
};
updateVisibility();
account?.addEventListener('input', updateVisibility);

/** Returns the credential headers of a request, except those that the headers editor contains in any spelling. */
function credentials(writtenHeaders) {
  const written = new Headers(writtenHeaders);
  const key = apiKey.value.trim();
  // The connections belong to the account of the demo key. Other keys need the token.
  const demoActor = key === apiKey.defaultValue ? account?.value : account?.selectedOptions[0].dataset.token;
  const actor = usesDemoAccount() ? demoActor : token.value.trim();
  const opens = usesDemoAccount() ? account.selectedOptions[0].dataset.code : code.value.trim();
  const headers = {};
  if (key && !written.has('authorization')) headers.authorization = `Bearer ${key}`;
  if (actor && !written.has('x-auth-token')) headers['x-auth-token'] = actor;
  // Headers hold bytes, and `fetch` refuses other characters.
  if (opens && !written.has('x-encryption-code'))
    headers['x-encryption-code'] = String.fromCharCode(...new TextEncoder().encode(opens));
  return headers;
}

let hasSchema = false;
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('change', () => {
  if (!hasSchema) main.querySelector('button[aria-label^="Re-fetch"]')?.click();
});

const workers = JSON.parse(main.dataset.workers);
globalThis.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => `/graphiql/files/${workers[label] ?? workers.editor}`,
};

// Links of the console put a query into the fragment of the URL, which browsers do not send to the server.
const linked = new URLSearchParams(location.hash.slice(1)).get('query');
if (linked !== null) history.replaceState(null, '', location.pathname);
const examples = [...(linked === null ? [] : [{ query: linked }]), ...JSON.parse(main.dataset.examples)];
// GraphiQL stores a query only when it is changed. Without this line, a reload before the first change would add an empty tab.
if (linked !== null || sessionStorage.getItem('graphiql:query') === null)
  sessionStorage.setItem('graphiql:query', examples[0].query);

/** Sends an operation with the credentials in the bar. A subscription is a stream of results. */
async function fetcher(params, { documentAST, headers } = {}) {
  const operation = documentAST && getOperationAST(documentAST, params.operationName);
  const isStream = operation?.operation === 'subscription';
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: isStream ? 'text/event-stream' : 'application/graphql-response+json, application/json',
      ...credentials(headers),
      ...headers,
    },
    body: JSON.stringify(params),
  });
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream');
  return isEvents ? results(response) : response.json();
}

async function* results({ body }) {
  const reader = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || value.event === 'complete') return;
      if (value.event === 'next') yield JSON.parse(value.data);
    }
  } finally {
    await reader.cancel();
  }
}

const properties = {
  fetcher,
  defaultTabs: examples.map(({ query, variables }) => ({
    query,
    variables: variables && JSON.stringify(variables, null, 2),
  })),
  defaultHeaders:
    '{\n  // The API key and the actor above are sent as headers.\n  // Headers with the same names here replace them.\n}',
  defaultEditorToolsVisibility: 'variables',
  storage: sessionStorage,
  shouldPersistHeaders: false,
  onSchemaChange() {
    hasSchema = true;
  },
};
createRoot(main).render(createElement(GraphiQL, properties, createElement(GraphiQL.Logo, null, ' ')));

// Tabs can be dragged only after framer-motion has measured them. At first it measures them only when the window is resized.
main.addEventListener('pointerdown', () => dispatchEvent(new Event('resize')), { once: true, capture: true });
