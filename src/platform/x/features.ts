/** The behaviour in which the sandbox differs from X inside an operation. `PLATFORM_KIND=x` has none of the extensions. */
export interface XFeatures {
  /** True if the sandbox's extensions are asked for, by the header `x-sandbox-extensions`. Writes then have idempotency tokens. */
  readonly extensions: boolean;
  /** The host of the sandbox, which may occur in URLs of tweets. `null` on X. */
  readonly host: string | null;
  /** The origins of the platform's web pages, for `url` and for `platformUrl`. */
  readonly pages: { readonly url: string; readonly platformUrl: string };
}

export const xFeatures: XFeatures = {
  extensions: false,
  host: null,
  pages: { url: 'https://x.com', platformUrl: 'https://twitter.com' },
};
