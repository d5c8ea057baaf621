import type { ComponentChildren } from 'preact';
import { ApiError, type Loaded } from '../api.ts';
import { Button, CopyButton } from './button.tsx';
import { Page } from './page.tsx';

export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" />
      {label}…
    </p>
  );
}

interface EmptyProps {
  title: string;
  children?: ComponentChildren;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

interface ErrorStateProps {
  error: Error;
  /** Repeats the call. Left out for calls that cost money. */
  retry?: (() => void) | undefined;
}

/** Shows message, code and request id of an error. */
export function ErrorState({ error, retry }: ErrorStateProps) {
  const { code = null, requestId = null } = error instanceof ApiError ? error : {};
  return (
    <div class="error" role="alert">
      <p class="error-message">{error.message}</p>
      {(code || requestId) && (
        <p class="error-details">
          {code && <a href={`/docs/errors#${code}`}>{code}</a>}
          {requestId && (
            <span>
              Request <code>{requestId}</code> <CopyButton text={requestId} label="Copy id" />
            </span>
          )}
        </p>
      )}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

interface LoadedViewProps<T> {
  of: Loaded<T>;
  children: (data: T) => ComponentChildren;
}

/** Shows the data of a free call, or that it is loading, or its error. */
export function LoadedView<T>({ of: { data, error, reload }, children }: LoadedViewProps<T>) {
  if (error) return <ErrorState error={error} retry={reload} />;
  return data === null ? <Loading /> : children(data);
}

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty title="The console has no page at this address">
        <a href="/console">Go to the overview</a>
      </Empty>
    </Page>
  );
}
