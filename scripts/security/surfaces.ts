/**
 * A surface that is attacked. `tests` are test files below test/, `browser` those that need a browser. `attacks` are files of
 * bench/hostile/attacks. test/security/suite.test.ts checks that all of them exist and that none is left out.
 */
export interface Surface {
  about: string;
  tests: string[];
  browser?: string[];
  attacks?: string[];
}

const words = ([text = '']: TemplateStringsArray) => text.trim().split(/\s+/);

export const surfaces: Record<string, Surface> = {
  http: {
    about: 'malformed HTTP, smuggling, floods, slow clients, unread responses',
    tests: words`
      api/rest/http-abuse api/rest/bodies api/rest/hung-up api/rest/order-of-refusals api/rest/refusals
      api/server/headers api/server/overload api/server/unauthenticated api/server/unread-responses
      security/rebound-page`,
    attacks: words`bodies`,
  },
  input: {
    about: 'input of every call: wrong types, sizes, bytes, names of prototypes',
    tests: words`
      api/rest/refused-input api/rest/long-ids api/rest/quote-url api/rest/cursors api/openapi/fuzz
      security/prototype-pollution shared/json/untrusted-json actions/cursor`,
    attacks: words`fields`,
  },
  graphql: {
    about: 'documents that expand, compile, nest, alias or return too much',
    tests: words`
      api/graphql/attacks api/graphql/attacks-values api/graphql/compile-attacks api/graphql/response-size
      api/graphql/introspection api/graphql/price api/graphql/price-rate-limit api/graphql/http
      api/graphql/trusted-documents`,
    attacks: words`compiler documents answers`,
  },
  accounts: {
    about: 'objects of other accounts, by REST, GraphQL and tools',
    tests: words`
      security/other-accounts webhooks/isolation api/rest/api-keys api/rest/audit billing/api-key
      billing/api-key-authenticator api/rest/every-endpoint`,
  },
  scopes: {
    about: 'API keys with read_only, groups, ip_ranges, calls_per_minute, dollars_per_day and expires_at',
    tests: words`api/rest/key-restrictions security/key-scopes api/rest/rate-limit api/rest/concurrency`,
  },
  credit: {
    about: 'double spending, double charges, free work',
    tests: words`
      security/double-spending api/rest/credit billing/ledger billing/ledger.property billing/deferred-charges
      billing/rate-limiter`,
  },
  idempotency: {
    about: 'Idempotency-Keys: replays by others, floods of kept responses',
    tests: words`
      api/rest/idempotency api/graphql/mutations-idempotency billing/idempotency api/rest/request-content`,
  },
  addresses: {
    about: 'SSRF: private addresses in every spelling, rebinding, redirects',
    tests: words`
      outbound/guard outbound/connector outbound/connection-limiter outbound/slow-reader webhooks/urls
      platform/atproto/untrusted-servers platform/atproto/did-resolver`,
    attacks: words`dns`,
  },
  proxies: {
    about: "callers' proxies: 1xx floods, endless headers and bodies, breaks, echoes of credentials",
    tests: words`
      outbound/limited-client proxy/calls proxy/answers proxy/connections proxy/faults proxy/form proxy/pool
      media/proxy`,
    attacks: words`proxies servers tls`,
  },
  platform: {
    about: 'responses of the platform: nonsense, echoes of credentials, compression bombs',
    tests: words`api/rest/platform-faults api/rest/platform-gone api/rest/echoing-platform platform/transport`,
    attacks: words`platform-answers atproto`,
  },
  webhooks: {
    about: 'hostile receivers, handshakes, resend and replay, deleted webhooks, secrets',
    tests: words`
      webhooks/hostile-receivers webhooks/handshake webhooks/handshakes-at-once webhooks/pause-and-delete
      webhooks/attempts webhooks/replay webhooks/registration webhooks/secrecy webhooks/refused-code client/kit`,
    attacks: words`webhooks`,
  },
  streams: {
    about: 'live streams and the tokens that open them',
    tests: words`
      webhooks/stream webhooks/stream-token webhooks/stream-readers api/server/stream-grant
      api/server/event-stream`,
    attacks: words`streams`,
  },
  media: {
    about: 'media bombs and files that are not what they claim to be',
    tests: words`
      media/hostile media/many-parts media/mutations media/multipart media/quota media/memory media/upload`,
    attacks: words`media`,
  },
  markdown: {
    about: 'articles that are slow to read or write, or contain markup',
    tests: words`articles/heavy articles/markdown articles/pages shared/model/rich-text shared/model/long-texts`,
    attacks: words`markdown`,
  },
  messages: {
    about: 'malformed and forged messages, wrong codes, dishonest key realms',
    tests: words`
      messaging/encryption/fuzz messaging/encryption/hostile messaging/encryption/thrift
      messaging/encryption/keys messaging/encryption/media
      messaging/encryption/vectors messaging/key-recovery/recover messaging/key-recovery/realms-away
      messaging/key-recovery/encrypting-realms messaging/conversations/secrecy messaging/conversations/untrusted-platform
      platform/juicebox/config platform/juicebox/sdk-workers`,
  },
  mcp: {
    about: '/mcp and its tools: foreign pages, policies, hidden text, malformed messages',
    tests: words`mcp/http mcp/tools mcp/spending-limit security/mcp-messages`,
  },
  pages: {
    about: 'pages, CORS, the console, GraphiQL: other origins, scripts, caches',
    tests: words`api/server/cors api/server/pages api/server/graphiql security/pages`,
    browser: words`browser/other-origin browser/console`,
  },
  sandbox: {
    about: "the sandbox's pages and control: escaping, host names, foreign origins",
    tests: words`sandbox/control sandbox/oauth sandbox/pages sandbox/uploads sandbox/realms`,
  },
  terminal: {
    about: 'escape sequences in the output of `postern` and in the log',
    tests: words`cli/terminal-escapes cli/call shared/observability/pretty`,
  },
  'account-data': { about: 'export and deletion of an account', tests: words`cli/account-data` },
  secrets: {
    about: 'credentials in logs, errors, metrics, traces and files; the secret key',
    tests: words`
      api/rest/secrecy api/graphql/attacks-secrecy observability/traces api/server/metrics
      api/server/request-log shared/secrets/secret shared/secrets/vault shared/secrets/secret-keys
      shared/secrets/secret-key-file shared/secrets/weak-key processes/secret-key cli/secrets`,
    attacks: words`agents`,
  },
};
