import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary, useState } from 'preact/hooks';
import { ErrorState, Loading, NotFound } from './ui/states.tsx';

/** The path below `/console` and the query of the address. */
interface Address {
  path: string;
  query: URLSearchParams;
}

const base = '/console';

export const address = signal<Address>(readAddress());

/** Shows another page. `to` begins with `/console`. */
export function navigate(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  address.value = readAddress();
}

function readAddress(): Address {
  const path = location.pathname.slice(base.length).replace(/\/$/, '');
  return { path: path || '/', query: new URLSearchParams(location.search) };
}

addEventListener('popstate', () => {
  address.value = readAddress();
});

// Links are ordinary elements. A plain click on a link to the console does not load the document again.
document.addEventListener('click', (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
  if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
  const isOfConsole = link.pathname === base || link.pathname.startsWith(`${base}/`);
  if (link.origin !== location.origin || !isOfConsole || link.hash) return;
  event.preventDefault();
  navigate(link.href);
  scrollTo(0, 0);
});

export type Params = Readonly<Record<string, string>>;

export interface Route {
  /** The path below `/console`, such as `/webhooks/:id`. */
  path: string;
  load: () => Promise<ComponentType<{ params: Params }>>;
}

/** Shows the page of the current address. */
export function Routed({ routes }: { routes: readonly Route[] }) {
  const { path } = address.value;
  for (const route of routes) {
    const params = match(route.path, path);
    // Without the key, a page with other parameters would keep the state of the page before it.
    if (params) return <LazyPage key={`${route.path} ${JSON.stringify(params)}`} route={route} params={params} />;
  }
  return <NotFound />;
}

function match(pattern: string, path: string): Params | null {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decode(value);
    else if (part !== value) return null;
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function LazyPage({ route, params }: { route: Route; params: Params }) {
  const [page, setPage] = useState<{ Content: ComponentType<{ params: Params }> } | null>(null);
  const [failed, setFailed] = useState(false);
  const [fault] = useErrorBoundary();
  useEffect(() => {
    route.load().then(
      (Content) => setPage({ Content }),
      () => setFailed(true),
    );
  }, [route]);
  if (failed || fault) {
    const text = failed
      ? 'A part of the console could not be loaded. It may have been upgraded: reload the page.'
      : `The page cannot be shown: ${fault.message}`;
    return <ErrorState error={new Error(text)} retry={() => location.reload()} />;
  }
  return page ? <page.Content params={params} /> : <Loading />;
}
