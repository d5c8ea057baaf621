import { useMemo, useState } from 'preact/hooks';
import type { AccountBalance, AccountDetails, AccountUsage } from '../../../shared/model/account.ts';
import { useFreeCall } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Chart, type Series } from '../../ui/chart.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { count, dollars, milliseconds } from '../../ui/format.tsx';
import { Badge, Card, Figure, Figures, Page } from '../../ui/page.tsx';
import { Empty, ErrorState, LoadedView } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { LowCredit } from './low-credit.tsx';
import { Payments } from './payments.tsx';
import {
  costPerDay,
  dayMs,
  type EndpointTotals,
  endpointTotals,
  errorTotals,
  lasting,
  type Period,
  periodsOf,
  type Row,
} from './statistics.ts';

const spans = [
  ['day', '24 hours'],
  ['week', '7 days'],
  ['month', '30 days'],
] as const;
type Span = (typeof spans)[number][0];

export function Overview() {
  const [from, setFrom] = useState(lastDay);
  const [span, setSpan] = useState<Span>('day');
  const account = useFreeCall<AccountDetails>('account');
  const balance = useFreeCall<AccountBalance>('account/balance');
  const hours = useFreeCall<AccountUsage>('account/usage', { granularity: 'hour', from });
  const days = useFreeCall<AccountUsage>('account/usage', { granularity: 'day' });
  const all = [account, balance, hours, days];
  const reload = () => {
    setFrom(lastDay());
    for (const each of all) each.reload();
  };
  const [first, ...others] = all.map(({ error }) => error);
  // A key may be restricted to other groups of calls, or the gateway may be away.
  if (first && others.every((error) => error !== null)) {
    return (
      <Page title="Overview">
        <ErrorState error={first} retry={reload} />
      </Page>
    );
  }
  return (
    <Page
      title="Overview"
      intro={account.data ? `Account ${account.data.name}. Everything on this page is free.` : undefined}
      actions={<Button onClick={reload}>Refresh</Button>}
    >
      <Card title="Credit">
        <LoadedView of={balance}>
          {({ balance, held }) => (
            <LoadedView of={days}>
              {(days) => <Credit balance={Number(balance)} held={held} days={periodsOf(days)} hours={hours.data} />}
            </LoadedView>
          )}
        </LoadedView>
      </Card>
      <div class="row toolbar">
        <Choice label="Time span" options={spans} value={span} onChange={setSpan} />
        <p class="soft">Hours and days are in UTC.</p>
      </div>
      <LoadedView of={span === 'day' ? hours : days}>{(usage) => <Usage usage={usage} span={span} />}</LoadedView>
      <LowCredit of={account} />
      <Payments key={from} />
    </Page>
  );
}

function lastDay(): string {
  return new Date(Date.now() - dayMs).toISOString();
}

interface CreditProps {
  balance: number;
  held: string;
  days: readonly Period[];
  hours: AccountUsage | null;
}

function Credit({ balance, held, days, hours }: CreditProps) {
  const perDay = costPerDay(days, Date.now());
  const ofLastDay = Number(hours?.total.charged ?? 0);
  return (
    <Figures>
      <Figure label="Credit" note={Number(held) > 0 ? `and ${dollars(held)} reserved by running calls` : undefined}>
        {dollars(balance)}
      </Figure>
      <Figure label="Lasts" note={perDay > 0 ? 'at the mean cost of the last 7 days' : 'until the first paid call'}>
        {perDay > 0 ? lasting(balance, perDay) : '–'}
      </Figure>
      <Figure label="Cost per day" note="mean of the last 7 days">
        {dollars(rounded(perDay))}
      </Figure>
      <Figure label="Cost per hour" note="mean of the last 24 hours">
        {dollars(rounded(ofLastDay / 24))}
      </Figure>
    </Figures>
  );
}

/** Rounds a mean below ten cents to two significant digits, because `dollars` would show up to six decimal places. */
function rounded(mean: number): number {
  return mean < 0.1 ? Number(mean.toPrecision(2)) : mean;
}

function Usage({ usage, span }: { usage: AccountUsage; span: Span }) {
  const { periods, rows, charts } = useMemo(() => {
    const since = span === 'week' ? Date.parse(usage.to) - 7 * dayMs : 0;
    const periods = periodsOf(usage).filter(({ time }) => time >= since);
    const rows = usage.usage.filter(({ period }) => Date.parse(period) >= since);
    return { periods, rows, charts: chartsOf(periods) };
  }, [usage, span]);
  if (rows.length === 0) {
    return (
      <Card title="Calls">
        <Empty title="No calls in this time">
          <p>
            The <a href="/docs">API reference</a> has every call, ready to try.
          </p>
        </Empty>
      </Card>
    );
  }
  const unit = span === 'day' ? 'hour' : 'day';
  const sum = (field: 'calls' | 'charged' | 'failed') => periods.reduce((total, period) => total + period[field], 0);
  return (
    <>
      <div class="charts">
        <Card title={`Cost per ${unit}`} intro={`${dollars(sum('charged'))} in total`}>
          <Chart label={`Cost per ${unit}`} kind="bars" unit={unit} {...charts.cost} />
        </Card>
        <Card
          title={`Calls per ${unit}`}
          intro={`${count(sum('calls'))} successful, ${count(sum('failed'))} failed and free of charge`}
        >
          <Chart label={`Calls per ${unit}`} kind="bars" unit={unit} {...charts.calls} />
        </Card>
      </div>
      <Latency rows={rows} times={periods.map(({ time }) => time)} unit={unit} />
      <Endpoints totals={endpointTotals(rows)} unit={unit} />
      <Errors rows={rows} />
    </>
  );
}

function chartsOf(periods: readonly Period[]) {
  const times = periods.map(({ time }) => time);
  const cost: Series[] = [
    { label: 'Cost', color: '--accent', values: periods.map(({ charged }) => charged), format: dollars },
  ];
  const calls: Series[] = [
    { label: 'Successful', color: '--accent', values: periods.map((period) => period.calls), format: count },
    { label: 'Failed', color: '--bad', values: periods.map(({ failed }) => failed), format: count },
  ];
  return { cost: { times, series: cost }, calls: { times, series: calls } };
}

interface LatencyProps {
  rows: readonly Row[];
  times: readonly number[];
  unit: 'hour' | 'day';
}

const percentiles = [
  ['p50', '--accent'],
  ['p95', '--warn'],
  ['p99', '--bad'],
] as const;

function Latency({ rows, times, unit }: LatencyProps) {
  const endpoints = endpointTotals(rows.filter(({ duration_ms }) => duration_ms)).map(({ endpoint }) => endpoint);
  const [chosen, choose] = useState<string | null>(null);
  const endpoint = chosen !== null && endpoints.includes(chosen) ? chosen : endpoints[0];
  const series = useMemo(
    () =>
      percentiles.map(([name, color]) => {
        const known = new Map(
          rows
            .filter((row) => row.endpoint === endpoint)
            .map(({ period, duration_ms }) => [Date.parse(period), duration_ms?.[name] ?? null]),
        );
        return { label: name, color, values: times.map((time) => known.get(time) ?? null), format: milliseconds };
      }),
    [rows, times, endpoint],
  );
  if (endpoint === undefined) return null;
  return (
    <Card title="Latency" intro="The time that successful calls took in the gateway and on the platform.">
      <div class="row toolbar">
        <Field label="Endpoint">
          <select value={endpoint} onChange={(event) => choose(event.currentTarget.value)}>
            {endpoints.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
      </div>
      <Chart label={`Latency of ${endpoint} per ${unit}`} kind="lines" unit={unit} times={times} series={series} />
    </Card>
  );
}

function Endpoints({ totals, unit }: { totals: readonly EndpointTotals[]; unit: string }) {
  const percentile = (name: 'p50' | 'p95' | 'p99') => ({
    label: name,
    number: true,
    cell: ({ slowest }: EndpointTotals) => (slowest ? milliseconds(slowest[name]) : '–'),
  });
  return (
    <Card title="Endpoints" intro={`Each percentile is its highest value in any ${unit}.`} flush>
      <Table
        caption="Calls, cost, errors and latency of each endpoint"
        rows={totals}
        keyOf={({ endpoint }) => endpoint}
        empty={null}
        columns={[
          { label: 'Endpoint', cell: ({ endpoint }) => <code>{endpoint}</code> },
          { label: 'Calls', number: true, cell: ({ calls }) => count(calls) },
          { label: 'Cost', number: true, cell: ({ charged }) => dollars(charged) },
          { label: 'At the platform', number: true, cell: ({ platformCost }) => dollars(platformCost) },
          {
            label: 'Errors',
            number: true,
            cell: ({ failed, calls }) =>
              failed === 0 ? '0' : `${count(failed)} (${Math.round((100 * failed) / (failed + calls))} %)`,
          },
          percentile('p50'),
          percentile('p95'),
          percentile('p99'),
        ]}
      />
    </Card>
  );
}

function Errors({ rows }: { rows: readonly Row[] }) {
  return (
    <Card title="Errors" intro="Failed calls are free." flush>
      <Table
        caption="Errors by code"
        rows={errorTotals(rows)}
        keyOf={({ code }) => code}
        empty={<Empty title="No errors in this time" />}
        columns={[
          { label: 'Code', cell: ({ code }) => <a href={`/docs/errors#${code}`}>{code}</a> },
          { label: 'Number', number: true, cell: ({ count: number }) => <Badge tone="bad">{count(number)}</Badge> },
          {
            label: 'Endpoints',
            cell: ({ endpoints }) => (
              <span>
                {endpoints.slice(0, 5).join(', ')}
                {endpoints.length > 5 && ` and ${endpoints.length - 5} more`}
              </span>
            ),
          },
        ]}
      />
    </Card>
  );
}
