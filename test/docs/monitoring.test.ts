import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { errorReasons } from '../../src/shared/errors/reasons.ts';
import { useService } from '../support/use-service.ts';

interface AlertFile {
  groups: { rules: { alert: string; expr: string; labels: object; annotations: object }[] }[];
}
interface Dashboard {
  panels: { id: number; title: string; targets?: { expr: string }[] }[];
}

const read = (name: string) => readFileSync(new URL(`../../docs/monitoring/${name}`, import.meta.url), 'utf8');
const rules = (parse(read('alerts.yaml')) as AlertFile).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read('dashboard.json')) as Dashboard;
const expressions = [
  ...rules.map(({ alert, expr }) => [`alert ${alert}`, expr]),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [`panel ${title}`, expr])),
] as [string, string][];

/** Returns the metrics and the label matchers of an expression. Throws if the expression is not PromQL. */
function readPromql(expression: string) {
  // Grafana replaces its variables before Prometheus sees the expression.
  const text = expression.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'postern');
  const metrics: string[] = [];
  const matchers: { label: string; values: string[] }[] = [];
  parser.parse(text).iterate({
    enter({ name, type, node }) {
      const part = (child: string) => {
        const found = node.getChild(child);
        return found === null ? '' : text.slice(found.from, found.to);
      };
      if (type.isError) throw new Error(`not PromQL at ${node.from}: ${text}`);
      if (name === 'VectorSelector') metrics.push(part('Identifier'));
      if (name === 'UnquotedLabelMatcher')
        matchers.push({ label: part('LabelName'), values: part('StringLiteral').slice(1, -1).split('|') });
    },
  });
  return { metrics, matchers };
}

/** Returns the names of the metrics in a text in the format of Prometheus. A histogram has three more names. */
function metricNames(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.add(name);
    if (type === 'histogram') for (const suffix of ['bucket', 'sum', 'count']) names.add(`${name}_${suffix}`);
  }
  return names;
}

const { service, ada } = await useService();
expect(await ada.get('/tweet/advanced_search', { q: 'coffee', count: '1' })).toMatchObject({ status: 200 });
const text = await (await fetch(`${service.origin}/metrics`)).text();

describe('the alert rules and the dashboard', () => {
  test.each(expressions)('%s uses metrics and reasons that exist', (_name, expression) => {
    const known = metricNames(text);
    const { metrics, matchers } = readPromql(expression);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => name !== 'up' && !known.has(name))).toEqual([]);
    const reasons = matchers.filter(({ label }) => label === 'reason').flatMap(({ values }) => values);
    expect(reasons.filter((reason) => !(reason in errorReasons))).toEqual([]);
  });

  test('a metric that does not exist, and text that is not PromQL, would be found', () => {
    expect(readPromql('sum(rate(a{b="c|d"}[5m])) / b').metrics).toEqual(['a', 'b']);
    expect(readPromql('a{b=~"c|d"}').matchers).toEqual([{ label: 'b', values: ['c', 'd'] }]);
    expect(() => readPromql('sum(rate(a[5m])')).toThrow('not PromQL');
  });

  test('every alert has a severity, a summary and advice', () => {
    for (const rule of rules)
      expect(rule).toMatchObject({
        labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
        annotations: { summary: expect.any(String), description: expect.any(String) },
      });
  });

  test('panels have different ids', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  test('what was charged is counted in dollars', () => {
    expect(text).toMatch(/^postern_charged_dollars_total 0\.001$/m);
  });

  test('the build is described by labels', () => {
    expect(text).toMatch(/^postern_build_info\{version="[\d.]+",platform="sandbox",store="SQLite",node="[\d.]+"\} 1$/m);
  });
});
