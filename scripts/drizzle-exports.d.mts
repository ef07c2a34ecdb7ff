/** The `exports` of a package.json. */
export type Exports = Record<
  string,
  string | null | Record<string, string | Record<string, string>>
>

export declare function hasLongExports(file?: string): boolean
export declare function shortenExports(file?: string): void
export declare function shorten(exports: Exports): Exports
