import type { EdgePage } from '../../../actions/paging/paging.ts';

/** A page of a list, in the shape that the Relay specification defines. */
export class Connection<Node> {
  readonly edges: readonly Edge<Node>[];
  readonly pageInfo: PageInfo;
  /** The output of the action. Its fields other than the items are fields of the connection too. */
  readonly output: EdgePage['output'];

  /** Contains at most `first` items of the page, beginning at index `skip`. */
  constructor(page: EdgePage, items: readonly Node[], first: number, isContinued: boolean) {
    const { skip } = page;
    const count = items.length;
    const end = Math.min(count, skip + first);
    this.output = page.output;
    this.edges = items.slice(skip, end).map((node, i) => new Edge(node, page, skip + i, count));
    this.pageInfo = new PageInfo(this.edges, end < count || page.output.has_more, isContinued);
  }
}

/** An edge of a connection. The cursor is encrypted only if the request selects it. */
class Edge<Node> {
  readonly node: Node;
  readonly #page: EdgePage;
  readonly #index: number;
  readonly #count: number;

  constructor(node: Node, page: EdgePage, index: number, count: number) {
    this.node = node;
    this.#page = page;
    this.#index = index;
    this.#count = count;
  }

  get cursor(): string {
    return this.#page.cursorAt(this.#index, this.#count);
  }
}

class PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly #edges: readonly Edge<unknown>[];

  constructor(edges: readonly Edge<unknown>[], hasNextPage: boolean, hasPreviousPage: boolean) {
    this.#edges = edges;
    this.hasNextPage = hasNextPage;
    this.hasPreviousPage = hasPreviousPage;
  }

  get startCursor(): string | null {
    return this.#edges[0]?.cursor ?? null;
  }

  get endCursor(): string | null {
    return this.#edges.at(-1)?.cursor ?? null;
  }
}
