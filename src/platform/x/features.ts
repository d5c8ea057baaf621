/** The behaviour in which the sandbox differs from X inside an operation. `PLATFORM_KIND=x` has none of the extensions. */
export interface XFeatures {
  /** True if the sandbox's extensions are asked for, by the header `x-sandbox-extensions`. */
  readonly extensions: boolean;
  /** The origins of the platform's web pages, for `url` and for `platformUrl`. */
  readonly pages: { readonly url: string; readonly platformUrl: string };
}

export const xFeatures: XFeatures = {
  extensions: false,
  pages: { url: 'https://x.com', platformUrl: 'https://twitter.com' },
};
