const section = document.querySelector('.examples');
const form = document.querySelector('#credentials');

/** Shows JSON with colours: keys, texts, and other values. */
function show(code, text) {
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null|-?\d[\d.]*)\b/g;
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    const [all, quoted, colon] = match;
    parts.push(text.slice(end, match.index));
    const span = document.createElement('span');
    span.className = colon ? 'key' : quoted ? 'text' : 'value';
    span.textContent = quoted ?? all;
    parts.push(span, colon ?? '');
    end = match.index + all.length;
  }
  code.replaceChildren(...parts, text.slice(end));
}

for (const code of document.querySelectorAll('.result code')) show(code, pretty(code.textContent));

for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', async () => {
    const code = button.closest('article').querySelector('.command code');
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
}

// Only this tab keeps the credentials that are typed in.
for (const input of form?.querySelectorAll('input') ?? []) {
  input.value = sessionStorage.getItem(`postern:${input.name}`) ?? '';
  input.addEventListener('input', () => sessionStorage.setItem(`postern:${input.name}`, input.value));
}
form?.addEventListener('submit', (event) => event.preventDefault());

function send({ url, authToken, body }, signal) {
  const { pathname, search } = new URL(url);
  const key = form?.elements.key.value.trim() ?? section.dataset.key;
  return fetch(pathname + search, {
    signal,
    method: body ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${key}`,
      'x-auth-token': form?.elements.actor.value.trim() ?? authToken,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body).replace('{time}', new Date().toLocaleTimeString('en-GB')),
  });
}

async function runCall([request], outcome, code) {
  const startedAt = performance.now();
  const response = await send(request);
  const text = await response.text();
  const ms = Math.round(performance.now() - startedAt);
  outcome.textContent = `${response.status} · ${ms} ms · ${charged(response)}`;
  show(code, JSON.stringify(JSON.parse(text), null, 2));
  return response.ok;
}

const charged = (response) => {
  const dollars = response.headers.get('x-credits-charged');
  return dollars === null || dollars === '0' ? 'free' : `$${dollars}`;
};

const eventTimeoutMs = 60_000;

/** Opens the stream, causes the event, and shows it. */
async function watch([stream, cause], outcome, code) {
  const controller = new AbortController();
  const timeout = setTimeout(() => controller.abort(), eventTimeoutMs);
  try {
    const response = await send(stream, controller.signal);
    if (!response.ok) {
      outcome.textContent = `${response.status}`;
      show(code, JSON.stringify(await response.json(), null, 2));
      return;
    }
    outcome.textContent = 'listening…';
    code.replaceChildren();
    const startedAt = performance.now();
    const caused = cause && send(cause);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('the stream ended');
      text += value;
      const [event] = /^id:.*(?:\n.+)*(?=\n\n)/m.exec(text) ?? [];
      if (event === undefined) continue;
      await caused;
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      outcome.textContent = `event after ${seconds} s`;
      show(code, pretty(event));
      return;
    }
  } finally {
    clearTimeout(timeout);
    controller.abort();
  }
}

/** Breaks the data of an event into lines. */
function pretty(event) {
  return event.replace(/^data: (.*)$/m, (_all, data) => `data: ${JSON.stringify(JSON.parse(data), null, 2)}`);
}

for (const button of document.querySelectorAll('[data-run]')) {
  button.addEventListener('click', async () => {
    if (form && !form.reportValidity()) return;
    const article = button.closest('article');
    const requests = JSON.parse(article.dataset.requests);
    const outcome = article.querySelector('.outcome');
    const code = article.querySelector('.result code');
    button.setAttribute('aria-disabled', 'true');
    outcome.textContent = 'running…';
    try {
      await (article.querySelector('#events') ? watch : runCall)(requests, outcome, code);
    } catch (error) {
      outcome.textContent =
        error.name === 'AbortError' ? 'no event within a minute' : 'failed: is the service running?';
    } finally {
      button.removeAttribute('aria-disabled');
    }
  });
}

const ready = document.querySelector('#ready');
async function checkReady() {
  try {
    const response = await fetch('/readyz');
    const { error } = await response.json();
    ready.dataset.state = response.ok ? 'ready' : 'failed';
    ready.textContent = response.ok ? 'ready' : error.toLowerCase();
  } catch {
    ready.dataset.state = 'failed';
    ready.textContent = 'no answer';
  }
}
checkReady();
setInterval(() => document.hidden || checkReady(), 10_000);
