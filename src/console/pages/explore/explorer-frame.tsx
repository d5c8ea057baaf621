import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { priceOf } from '../../api.ts';
import { address } from '../../router.tsx';
import { ActorField } from '../../ui/actor-field.tsx';
import { dollars } from '../../ui/format.tsx';
import { Page } from '../../ui/page.tsx';
import { CallPanel } from './call-panel.tsx';
import { pathTo, Tabs } from './links.tsx';
import { load, takeWanted } from './paid-calls.ts';
import { obstacleTo, useCapabilities } from './paid-views.tsx';
import type { ExplorerCall } from './requests.ts';

const sections = [
  ['search', 'Search'],
  ['home', 'Home'],
  ['mentions', 'Mentions'],
  ['bookmarks', 'Bookmarks'],
  ['articles', 'Articles'],
  ['messages', 'Messages'],
] as const;

interface ExplorerFrameProps {
  title: string;
  /** The calls that the page makes when it is opened with a click. */
  opens: readonly ExplorerCall[];
  /** The calls to show. */
  calls: readonly ExplorerCall[];
  graphql: string | null;
  children: ComponentChildren;
}

/** The frame of every explorer page: the sections, the actor, the content, and the calls that load the content. */
export function ExplorerFrame({ title, opens, calls, graphql, children }: ExplorerFrameProps) {
  const { path, query } = address.value;
  const current = path.split('/')[2] ?? 'search';
  useCapabilities();
  useEffect(() => {
    if (takeWanted()) for (const call of opens) if (obstacleTo(call) === null) void load(call);
  }, [path, String(query)]);
  return (
    <Page
      title={title}
      intro={`A page makes one or two calls for ${dollars(callPrice())} each. Nothing is loaded, or paid for, twice.`}
      actions={<ActorField />}
    >
      <Tabs
        label="Explorer"
        tabs={sections.map(([name, label]) => ({ label, to: pathTo.section(name), current: current === name }))}
      />
      <div class="explorer">
        <div class="explorer-content">{children}</div>
        {graphql !== null && <CallPanel calls={calls} graphql={graphql} />}
      </div>
    </Page>
  );
}

const callPrice = () => priceOf('tweet/detail');
