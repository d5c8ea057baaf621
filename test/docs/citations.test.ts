import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

function filesOf(...patterns: string[]): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');

function headingsOf(path: string): string[] {
  const prose = read(path).replace(/^( *)```[\s\S]*?^\1```/gm, '');
  return [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => `${heading}`);
}

/** Returns the anchor that Markdown renderers generate for a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

/** Returns the comments of a source file, each on one line. Consecutive line comments count as one comment. */
function commentsOf(source: string): string[] {
  const joined = source.replace(/\n[ \t]*\/\/ ?/g, (start, at: number) => (endsInComment(source, at) ? ' ' : start));
  return [...joined.matchAll(/(?<=^|\s)(?:\/\*[\s\S]*?\*\/|\/\/.*$)/gm)].map(([comment]) =>
    comment.replace(/\s*\n\s*\*?\s*/g, ' '),
  );
}

const endsInComment = (source: string, at: number) =>
  /^\s*\/\//.test(source.slice(source.lastIndexOf('\n', at - 1) + 1, at));

/** Returns citations of documents or sections that do not exist in this repository, such as `docs/money.md, Idempotency`. */
function wrongCitations(path: string, source: string): string[] {
  return commentsOf(source).flatMap((comment) =>
    [...comment.matchAll(/([\w./:-]+\.md)(?:, "?(?=[A-Z]))?/g)].flatMap((match) => {
      const [citation, document = ''] = match;
      if (document.includes('://')) return [];
      const cited = [normalize(document), join(dirname(path), document)].find((each) => existsSync(join(root, each)));
      if (cited === undefined) return [`${path} cites ${document}, which does not exist`];
      if (!citation.includes(',')) return [];
      const rest = comment.slice(match.index + citation.length);
      const isCited = (heading: string) => rest.startsWith(heading) && !/^\w/.test(rest.slice(heading.length));
      return headingsOf(cited).some(isCited)
        ? []
        : [`${path} cites a section that ${cited} lacks: ${rest.slice(0, 40)}`];
    }),
  );
}

describe('citations in comments', () => {
  test('name documents and sections that exist', () => {
    const sources = filesOf('src', 'test', 'scripts', '.ci').filter((path) => /\.(ts|js|mjs)$/.test(path));
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.flatMap((path) => wrongCitations(path, read(path)))).toEqual([]);
  });

  test.each([
    ['/** See SPECIFICATION.md. */', 1],
    ['// See docs/money.md, Idempotency.', 0],
    ['  // See docs/money.md,\n  // Idempotency (the table).', 0],
    ['/**\n * As docs/money.md, Idempotence\n * says. */', 1],
    ['/** docs/money.md, and more. */', 0],
    ['// https://example.com/PROTOCOL.md', 0],
  ])('%j has %d wrong citations', (source, count) => {
    expect(wrongCitations('test/docs/example.ts', source)).toHaveLength(count);
  });
});

describe('links between documents', () => {
  const documents = filesOf('*.md');
  const links = documents.flatMap((path) => {
    const prose = read(path).replace(/^( *)```[\s\S]*?^\1```/gm, '');
    return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => [path, `${target}`] as const);
  });

  test.each(links.filter(([, target]) => !/^[a-z]+:/.test(target)))('%s: %s', (path, target) => {
    const [file = '', anchor] = target.split('#');
    const linked = file === '' ? path : join(dirname(path), file);
    expect(existsSync(join(root, linked))).toBe(true);
    if (anchor !== undefined) expect(headingsOf(linked).map(anchorOf)).toContain(anchor);
  });
});
