import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { call, credit } from './api.ts';
import { demo } from './page-data.ts';
import { explorerRoutes } from './pages/explore/routes.ts';
import { address, type Route, Routed } from './router.tsx';
import { apiKey, refusal, signIn, signOut, usesDemoKey } from './session.ts';
import { Field } from './ui/field.tsx';
import { dollars } from './ui/format.tsx';
import { ErrorState } from './ui/states.tsx';
import { Toasts } from './ui/toasts.tsx';

const routes: readonly Route[] = [
  { path: '/', load: async () => (await import('./pages/overview/overview.tsx')).Overview },
  ...explorerRoutes,
  { path: '/accounts', load: async () => (await import('./pages/accounts/accounts.tsx')).Accounts },
  { path: '/keys', load: async () => (await import('./pages/keys/keys.tsx')).Keys },
  { path: '/audit', load: async () => (await import('./pages/audit/audit.tsx')).Audit },
  { path: '/webhooks', load: async () => (await import('./pages/webhooks/list.tsx')).Webhooks },
  { path: '/webhooks/:id', load: async () => (await import('./pages/webhooks/detail.tsx')).WebhookDetail },
  { path: '/events', load: async () => (await import('./pages/events/events.tsx')).Events },
];

/** The entries of the navigation. An entry is current on its own page and on the pages below it. */
const sections = [
  { href: '/console', label: 'Overview' },
  { href: '/console/explore', label: 'Explorer' },
  { href: '/console/accounts', label: 'Accounts' },
  { href: '/console/keys', label: 'API keys' },
  { href: '/console/webhooks', label: 'Webhooks' },
  { href: '/console/events', label: 'Live events' },
  { href: '/console/audit', label: 'Audit log' },
] as const;

export function App() {
  return (
    <>
      {apiKey.value === null ? <SignIn /> : <Shell key={apiKey.value} />}
      <Toasts />
    </>
  );
}

function Shell() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    // An error of this call is not shown, because each page shows the errors of its own calls.
    call<{ balance: string }>('account/balance').then(
      ({ balance }) => {
        credit.value = balance;
      },
      () => {},
    );
    return effect(() => {
      if (address.value) setOpen(false);
    });
  }, []);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        <header class={isOpen ? 'sidebar open' : 'sidebar'}>
          <div class="brand">
            <a href="/console">Postern</a>
            <button
              type="button"
              class="button small menu"
              aria-expanded={isOpen}
              aria-controls="navigation"
              onClick={() => setOpen(!isOpen)}
            >
              Menu
            </button>
          </div>
          <div id="navigation" class="navigation">
            <nav aria-label="Console">
              <ul>
                {sections.map(({ href, label }) => (
                  <li key={href}>
                    <a href={href} aria-current={isCurrent(href) ? 'page' : undefined}>
                      {label}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
            <nav aria-label="Other pages">
              <ul>
                <li>
                  <a href="/docs">API reference</a>
                </li>
                <li>
                  <a href="/graphql">GraphiQL</a>
                </li>
              </ul>
            </nav>
            <div class="session">
              <p>
                Credit <b>{credit.value === null ? '…' : dollars(credit.value)}</b>
              </p>
              <p class="key">{usesDemoKey.value ? 'Demo key' : <code>{apiKey.value?.slice(0, 11)}…</code>}</p>
              <button type="button" class="button small" onClick={() => signOut()}>
                Sign out
              </button>
            </div>
          </div>
        </header>
        <main id="main" tabIndex={-1}>
          <Routed routes={routes} />
        </main>
      </div>
    </>
  );
}

function isCurrent(href: string): boolean {
  const { path } = address.value;
  const own = href.slice('/console'.length);
  return own === '' ? path === '/' : path === own || path.startsWith(`${own}/`);
}

function SignIn() {
  useEffect(() => {
    document.title = 'Sign in · Postern console';
  }, []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const key = new FormData(event.currentTarget as HTMLFormElement).get('key');
    signIn(String(key).trim());
  };
  return (
    <main class="sign-in">
      <h1>Postern console</h1>
      {refusal.value && <ErrorState error={refusal.value} />}
      <form class="stack" onSubmit={submit}>
        <Field
          label="API key"
          hint={
            demo
              ? 'The demo key is filled in. This browser keeps the key until you sign out.'
              : 'This browser keeps the key until you sign out.'
          }
        >
          <input
            name="key"
            type="password"
            required
            pattern="\s*\S+\s*"
            autocomplete="off"
            spellcheck={false}
            defaultValue={demo?.apiKey ?? ''}
          />
        </Field>
        <button type="submit" class="button primary">
          Sign in
        </button>
      </form>
      <p>
        <a href="/">About this gateway</a>
      </p>
    </main>
  );
}
