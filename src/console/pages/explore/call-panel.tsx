import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { prepare } from '../../api.ts';
import { demo } from '../../page-data.ts';
import { actor, demoActors, isConnected, usesDemoKey } from '../../session.ts';
import { CodeBlock } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { type ExplorerCall, languages, requestText, type ShownCredentials } from './requests.ts';

interface CallPanelProps {
  /** The REST calls that the page makes. */
  calls: readonly ExplorerCall[];
  /** The GraphQL document that does the same in one request. */
  graphql: string;
}

const choices = [...languages, 'GraphQL'] as const;

/** The chosen language, which all pages share. */
const chosen = signal<(typeof choices)[number]>('curl');

const isWide = matchMedia('(min-width: 72rem)');

/** The requests of a page, ready to copy. On small screens the panel is closed at first. */
export function CallPanel({ calls, graphql }: CallPanelProps) {
  const [isOpen] = useState(isWide.matches);
  return (
    <aside class="calls" aria-label="Calls of this page">
      <details open={isOpen}>
        <summary>
          <h2>{calls.length === 1 ? 'Call' : `Calls (${calls.length})`}</h2>
        </summary>
        <CallTexts calls={calls} graphql={graphql} />
      </details>
    </aside>
  );
}

/** The calls as code in the chosen language. */
export function CallTexts({ calls, graphql }: CallPanelProps) {
  const language = chosen.value;
  return (
    <div class="call-texts">
      <Choice
        label="Language"
        options={choices.map((choice) => [choice, choice] as const)}
        value={language}
        onChange={(choice) => {
          chosen.value = choice;
        }}
      />
      {language === 'GraphQL' ? (
        <>
          <p class="soft">GraphQL needs one request.</p>
          <CodeBlock label="POST /graphql" text={graphql} />
          <p>
            <a href={`/graphql#${new URLSearchParams({ query: graphql })}`} target="_blank" rel="noopener">
              Open in GraphiQL
            </a>
          </p>
        </>
      ) : (
        calls.map((call) => (
          <CodeBlock
            key={JSON.stringify(call)}
            label={lineOf(call)}
            text={requestText(language, call, shownCredentials(), location.origin)}
          />
        ))
      )}
      {language !== 'GraphQL' && !usesDemoKey.value && (
        <p class="soft">Set the environment variables to your credentials first.</p>
      )}
    </div>
  );
}

function lineOf({ name, input }: ExplorerCall): string {
  const { method, path } = prepare(name, input);
  return `${method} ${path.split('?')[0]}`;
}

/** Returns the demo credentials of the sandbox and the id of a connection, which is no secret. Other credentials are not shown. */
function shownCredentials(): ShownCredentials {
  const account = demoActors.value.find(({ authToken }) => authToken === actor.value?.authToken);
  return {
    apiKey: usesDemoKey.value && demo ? demo.apiKey : null,
    authToken: account?.authToken ?? (isConnected(actor.value) ? actor.value.authToken : null),
    encryptionCode: account?.encryptionCode ?? null,
  };
}
