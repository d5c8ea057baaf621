import type { ComponentChildren } from 'preact';
import { want } from './paid-calls.ts';

const base = '/console/explore';

const withQuery = (path: string, query: Readonly<Record<string, string>>) => {
  const text = new URLSearchParams(query).toString();
  return `${base}/${path}${text && `?${text}`}`;
};

export type SearchKind = 'latest' | 'top' | 'people';

export const pathTo = {
  search: (q: string, kind: SearchKind = 'latest') => withQuery('search', { q, ...(kind !== 'latest' && { kind }) }),
  tweet: (id: string, shown = 'replies') => withQuery(`tweet/${id}`, shown === 'replies' ? {} : { shown }),
  user: (name: string, shown = 'tweets') =>
    withQuery(`user/${encodeURIComponent(name)}`, shown === 'tweets' ? {} : { shown }),
  article: (id: string) => `${base}/article/${id}`,
  conversation: (id: string) => `${base}/messages/${encodeURIComponent(id)}`,
  section: (name: string) => `${base}/${name}`,
};

interface LinkProps {
  to: string;
  class?: string;
  'aria-current'?: 'page' | undefined;
  /** Runs before the page opens. */
  onOpen?: () => void;
  children: ComponentChildren;
}

/** A link to a page of the explorer. A click on it opens the page and makes its calls. */
export function Link({ to, onOpen, children, ...rest }: LinkProps) {
  const click = (event: MouseEvent) => {
    const opensHere = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!opensHere) return;
    onOpen?.();
    want(to);
  };
  return (
    <a {...rest} href={to} onClick={click}>
      {children}
    </a>
  );
}

/** A link whose URL comes from the platform. Only `http` and `https` URLs become links. */
export function ForeignLink({ to, children }: { to: string; children: ComponentChildren }) {
  if (!/^https?:\/\//i.test(to)) return <>{children}</>;
  return (
    <a href={to} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

export interface Tab {
  readonly label: string;
  readonly to: string;
  readonly current: boolean;
}

/** Links to the parts of one page. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ label: name, to, current }) => (
        <Link key={to} to={to} aria-current={current ? 'page' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
